// SPDX-License-Identifier: MIT
#include "distributed/grid_partition.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace tessera::distributed {
namespace {

// How often each cell is covered.
std::vector<int> cover(const std::vector<CellBox>& boxes, std::array<int, 3> cells) {
  std::vector<int> covered(static_cast<size_t>(cells[0]) * cells[1] * cells[2], 0);
  for (const CellBox& box : boxes) {
    for (int z = box.begin[2]; z < box.end[2]; ++z) {
      for (int y = box.begin[1]; y < box.end[1]; ++y) {
        for (int x = box.begin[0]; x < box.end[0]; ++x) {
          ++covered[(static_cast<size_t>(z) * cells[1] + y) * cells[0] + x];
        }
      }
    }
  }
  return covered;
}

TEST(CutGrid, CoversEveryCellOnce) {
  std::mt19937 random(3);
  for (const std::array<int, 3> cells :
       {std::array{1, 1, 1}, {7, 1, 1}, {60, 34, 1}, {3, 2, 1}, {9, 8, 7}}) {
    std::vector<int64_t> weights(static_cast<size_t>(cells[0]) * cells[1] * cells[2]);
    for (int64_t& weight : weights) weight = random() % 5 == 0 ? random() % 1000 : 0;
    for (const int parts : {1, 2, 3, 5, 8, 64}) {
      const std::vector<CellBox> boxes = cut_grid(weights, cells, parts);
      ASSERT_EQ(boxes.size(), static_cast<size_t>(parts));
      for (const int times : cover(boxes, cells)) EXPECT_EQ(times, 1);
    }
  }
}

TEST(CutGrid, SharesAreNearlyEqual) {
  std::mt19937 random(5);
  const std::array<int, 3> cells = {240, 135, 1};
  std::vector<int64_t> weights(240 * 135);
  // A street: heavy near the horizon, light in the sky.
  for (int y = 0; y < 135; ++y) {
    for (int x = 0; x < 240; ++x) {
      weights[y * 240 + x] = 30 + (y > 60 && y < 80 ? 900 : 40) + random() % 60;
    }
  }
  const int64_t total = std::accumulate(weights.begin(), weights.end(), int64_t{0});
  for (const int parts : {2, 3, 4, 7}) {
    for (const CellBox& box : cut_grid(weights, cells, parts)) {
      int64_t share = 0;
      for (int y = box.begin[1]; y < box.end[1]; ++y) {
        for (int x = box.begin[0]; x < box.end[0]; ++x) share += weights[y * 240 + x];
      }
      EXPECT_NEAR(static_cast<double>(share) * parts / static_cast<double>(total), 1, 0.05);
    }
  }
}

TEST(CutGrid, CutsAcrossTheLongestSideOfWhatHasWeight) {
  const std::array<int, 3> cells = {10, 10, 10};
  std::vector<int64_t> weights(1000, 0);
  for (int z = 0; z < 8; ++z) weights[z * 100] = 1;
  const std::vector<CellBox> boxes = cut_grid(weights, cells, 2);
  EXPECT_EQ(boxes[0].end[2], 4);
  EXPECT_EQ(boxes[1].begin[2], 4);
  EXPECT_EQ(boxes[0].length(0), 10);
}

}  // namespace
}  // namespace tessera::distributed
