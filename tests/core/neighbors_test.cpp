// Nearest neighbors against brute force.
// SPDX-License-Identifier: MIT
#include "core/neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tessera::core {
namespace {

using Point = math::Vec3<float>;

float brute_force(const std::vector<Point>& points, size_t self, size_t neighbors) {
  std::vector<double> squared;
  for (size_t j = 0; j < points.size(); ++j) {
    if (j == self) continue;
    const double dx = double{points[j].x} - double{points[self].x};
    const double dy = double{points[j].y} - double{points[self].y};
    const double dz = double{points[j].z} - double{points[self].z};
    squared.push_back(dx * dx + dy * dy + dz * dz);
  }
  std::sort(squared.begin(), squared.end());
  const size_t used = std::min(neighbors, squared.size());
  double sum = 0;
  for (size_t k = 0; k < used; ++k) sum += squared[k];
  return used > 0 ? static_cast<float>(sum / static_cast<double>(used)) : 0.0F;
}

TEST(Neighbors, EqualBruteForce) {
  core::ThreadPool pool(2);
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const int count : {1, 2, 3, 4, 9, 50, 700}) {
    std::vector<Point> points;
    for (int i = 0; i < count; ++i) {
      // A flat sheet with a few far points and many that coincide.
      const float far = i % 50 == 7 ? 1000.0F : 1.0F;
      points.push_back({far * normal(random), normal(random), 0.01F * normal(random)});
      if (i % 5 == 4) points.back() = points[i - 1];
    }
    for (const int neighbors : {1, 3, 8, kMostNeighbors}) {
      const std::vector<float> found = mean_squared_neighbor_distance(points, neighbors, pool);
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(found[i], brute_force(points, i, neighbors)) << neighbors << " of " << count;
      }
    }
  }
}

TEST(Neighbors, ManyCoincidingPointsAreZeroApart) {
  core::ThreadPool pool(1);
  const std::vector<Point> points(20000, Point{1, 2, 3});
  for (const float squared : mean_squared_neighbor_distance(points, 3, pool)) EXPECT_EQ(squared, 0);
}

}  // namespace
}  // namespace tessera::core
