// SPDX-License-Identifier: MIT
#include "distributed/rectangle_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

#include "distributed/backends/lone_rank.h"
#include "distributed/point_partition.h"

namespace tessera::distributed {
namespace {

// Noise, heavier towards the middle of the picture.
std::vector<int64_t> heavy_middle(int columns, int rows, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> weights;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const int64_t from_middle =
          std::abs(2 * x - columns) * rows + std::abs(2 * y - rows) * columns;
      weights.push_back(100 + random() % 200 +
                        4000 / (1 + 20 * from_middle / (int64_t{columns} * rows)));
    }
  }
  return weights;
}

double most_by_mean(const std::vector<int64_t>& shares) {
  const int64_t sum = std::accumulate(shares.begin(), shares.end(), int64_t{0});
  return static_cast<double>(*std::max_element(shares.begin(), shares.end())) *
         static_cast<double>(shares.size()) / static_cast<double>(sum);
}

double most_by_mean(const std::vector<TileRectangle>& rectangles,
                    const std::vector<int64_t>& weights, int columns) {
  std::vector<int64_t> shares;
  for (const TileRectangle& tiles : rectangles) {
    int64_t& share = shares.emplace_back(0);
    for (int y = tiles.begin[1]; y < tiles.end[1]; ++y) {
      for (int x = tiles.begin[0]; x < tiles.end[0]; ++x) share += weights[y * columns + x];
    }
  }
  return most_by_mean(shares);
}

double most_by_mean_one_by_one(const std::vector<int64_t>& weights, int columns, int parts) {
  std::vector<LatticePoint> tiles;
  for (size_t i = 0; i < weights.size(); ++i) {
    tiles.push_back({static_cast<uint16_t>(i % columns), static_cast<uint16_t>(i / columns), 0});
  }
  const PointPartition partition(*lone_rank(), "test", tiles, weights, parts);
  std::vector<int64_t> shares(parts, 0);
  for (size_t i = 0; i < weights.size(); ++i) shares[partition.part(tiles[i])] += weights[i];
  return most_by_mean(shares);
}

TEST(CutRectangle, CoversEveryTileOnce) {
  std::mt19937 random(3);
  for (const auto& [columns, rows] :
       {std::pair{1, 1}, {7, 1}, {1, 5}, {3, 2}, {31, 21}, {60, 34}}) {
    std::vector<int64_t> weights(static_cast<size_t>(columns) * rows);
    for (int64_t& weight : weights) weight = random() % 5 == 0 ? random() % 1000 : 0;
    for (const int parts : {1, 2, 3, 4, 5, 8, 16, 64}) {
      const std::vector<TileRectangle> rectangles = cut_rectangle(weights, columns, rows, parts);
      ASSERT_EQ(rectangles.size(), static_cast<size_t>(parts));
      std::vector<int> covered(weights.size(), 0);
      for (const TileRectangle& tiles : rectangles) {
        for (int y = tiles.begin[1]; y < tiles.end[1]; ++y) {
          for (int x = tiles.begin[0]; x < tiles.end[0]; ++x) ++covered[y * columns + x];
        }
      }
      for (const int times : covered) EXPECT_EQ(times, 1);
    }
  }
}

TEST(CutRectangle, NoTilesGiveEmptyRectangles) {
  for (const TileRectangle& tiles : cut_rectangle({}, 0, 0, 3)) EXPECT_TRUE(tiles.empty());
}

TEST(CutRectangle, SharesOfALargePictureAreEqual) {
  const std::vector<int64_t> weights = heavy_middle(240, 135, 5);
  for (const int parts : {2, 3, 4, 7, 16}) {
    EXPECT_LT(most_by_mean(cut_rectangle(weights, 240, 135, parts), weights, 240), 1.02) << parts;
  }
}

TEST(CutRectangle, SharesOfASmallPictureAreMoreEqualThanByCutsOneByOne) {
  double tried = 0, one_by_one = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<int64_t> weights = heavy_middle(32, 21, seed);
    for (const int parts : {3, 4, 8}) {
      tried += most_by_mean(cut_rectangle(weights, 32, 21, parts), weights, 32) - 1;
      one_by_one += most_by_mean_one_by_one(weights, 32, parts) - 1;
    }
  }
  EXPECT_LT(tried, 0.8 * one_by_one);
}

TEST(CutRectangle, BordersAreShortWhereWeightsAreEqual) {
  const std::vector<int64_t> weights(40 * 20, 1);
  for (const TileRectangle& tiles : cut_rectangle(weights, 40, 20, 4)) {
    EXPECT_EQ(tiles.length(0) + tiles.length(1), 20 + 10) << "not twice as long as high";
  }
}

}  // namespace
}  // namespace tessera::distributed
