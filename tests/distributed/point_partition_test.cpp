// SPDX-License-Identifier: MIT
#include "distributed/point_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "distributed/backends/lone_rank.h"
#include "distributed/backends/threads.h"

namespace tessera::distributed {
namespace {

// Half of them all over the lattice, half in a small ball, which costs more.
struct Points {
  std::vector<LatticePoint> points;
  std::vector<int64_t> weights;
};

Points dense_ball(int count) {
  std::mt19937 random(7);
  std::normal_distribution<double> offset(0, 150);
  Points made;
  for (int i = 0; i < count; ++i) {
    LatticePoint& point = made.points.emplace_back();
    for (uint16_t& at : point) {
      at = static_cast<uint16_t>(i % 2 == 0 ? random() % 65536 : 20000 + offset(random));
    }
    made.weights.push_back(1 + (i % 2) * 2);
  }
  return made;
}

PointPartition partition_of(const Points& made, int parts) {
  return {*lone_rank(), "test", made.points, made.weights, parts};
}

std::vector<int> parts_of(const PointPartition& partition, std::span<const LatticePoint> points) {
  std::vector<int> parts;
  parts.reserve(points.size());
  for (const LatticePoint& point : points) parts.push_back(partition.part(point));
  return parts;
}

TEST(PointPartition, PartsHaveNearlyEqualWeight) {
  const Points made = dense_ball(20000);
  const int64_t total = std::accumulate(made.weights.begin(), made.weights.end(), int64_t{0});
  for (const int parts : {1, 2, 3, 5, 8, 64}) {
    std::vector<int64_t> weight(parts, 0);
    const std::vector<int> part = parts_of(partition_of(made, parts), made.points);
    for (size_t i = 0; i < part.size(); ++i) weight[part[i]] += made.weights[i];
    for (const int64_t of_part : weight) {
      EXPECT_NEAR(static_cast<double>(of_part * parts) / static_cast<double>(total), 1, 0.03)
          << parts << " parts";
    }
  }
}

TEST(PointPartition, IsTheSameWhicheverRankHasWhichPoints) {
  const Points made = dense_ball(3000);
  for (const int parts : {2, 7}) {
    const std::vector<int> expected = parts_of(partition_of(made, parts), made.points);
    for (const int ranks : {2, 3, 4}) {
      run_in_threads(ranks, [&](Communicator& communicator) {
        Points own;  // of the first rank none
        for (size_t i = 0; i < made.points.size() && communicator.rank() > 0; ++i) {
          if (static_cast<int>(i * i % (ranks - 1)) + 1 != communicator.rank()) continue;
          own.points.push_back(made.points[i]);
          own.weights.push_back(made.weights[i]);
        }
        const PointPartition partition(communicator, "test", own.points, own.weights, parts);
        EXPECT_EQ(parts_of(partition, made.points), expected) << ranks << " ranks";
      });
    }
  }
}

TEST(PointPartition, CutsAcrossTheLongestSideOfThePoints) {
  Points made;
  for (uint16_t i = 0; i < 8; ++i) {
    made.points.push_back(
        {static_cast<uint16_t>(200 * (i % 2)), 65535, static_cast<uint16_t>(1000 + 100 * i)});
    made.weights.push_back(1);
  }
  const PointPartition partition = partition_of(made, 4);
  EXPECT_EQ(parts_of(partition, made.points), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(partition.part({0, 0, 0}), 0);
  EXPECT_EQ(partition.part({65535, 0, 65535}), 3);
}

TEST(PointPartition, TakesTheNearestPlaceBetweenLayers) {
  Points made;
  made.points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {65535, 0, 0}};
  made.weights = {1, 1, 5, 2};
  EXPECT_EQ(parts_of(partition_of(made, 2), made.points), (std::vector<int>{0, 0, 1, 1}));
  made.weights = {2, 1, 5, 2};
  EXPECT_EQ(parts_of(partition_of(made, 2), made.points), (std::vector<int>{0, 0, 1, 1}));
  made.weights = {2, 3, 5, 0};
  EXPECT_EQ(parts_of(partition_of(made, 2), made.points), (std::vector<int>{0, 0, 1, 1}));
  made.weights = {1, 1, 8, 3};
  EXPECT_EQ(parts_of(partition_of(made, 2), made.points), (std::vector<int>{0, 0, 0, 1}));
}

TEST(PointPartition, OfOnePlaceOrNoPointsIsThere) {
  const std::vector<LatticePoint> points(9, {4, 5, 6});
  const std::vector<int64_t> weights(9, 1);
  for (const size_t count : {0, 9}) {
    const PointPartition partition(*lone_rank(), "test", std::span(points).first(count),
                                   std::span(weights).first(count), 5);
    for (const LatticePoint& point : {LatticePoint{0, 0, 0}, {4, 5, 6}, {65535, 65535, 65535}}) {
      EXPECT_GE(partition.part(point), 0);
      EXPECT_LT(partition.part(point), 5);
    }
  }
}

}  // namespace
}  // namespace tessera::distributed
