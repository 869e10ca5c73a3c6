// SPDX-License-Identifier: MIT
#include "distributed/rectangle_partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

double most_by_mean(const std::vector<CellBox>& boxes, const std::vector<int64_t>& weights,
                    int columns) {
  int64_t most = 0, sum = 0;
  for (const CellBox& box : boxes) {
    int64_t weight = 0;
    for (int y = box.begin[1]; y < box.end[1]; ++y) {
      for (int x = box.begin[0]; x < box.end[0]; ++x) weight += weights[y * columns + x];
    }
    most = std::max(most, weight);
    sum += weight;
  }
  return static_cast<double>(most) * static_cast<double>(boxes.size()) / static_cast<double>(sum);
}

TEST(CutRectangle, CoversEveryTileOnce) {
  std::mt19937 random(3);
  for (const auto& [columns, rows] :
       {std::pair{1, 1}, {7, 1}, {1, 5}, {3, 2}, {31, 21}, {60, 34}}) {
    std::vector<int64_t> weights(static_cast<size_t>(columns) * rows);
    for (int64_t& weight : weights) weight = random() % 5 == 0 ? random() % 1000 : 0;
    for (const int parts : {1, 2, 3, 4, 5, 8, 16, 64}) {
      const std::vector<CellBox> boxes = cut_rectangle(weights, columns, rows, parts);
      ASSERT_EQ(boxes.size(), static_cast<size_t>(parts));
      const std::vector<uint16_t> numbers = boxes_of_cells(boxes, {columns, rows, 1});
      int64_t tiles = 0;
      for (size_t b = 0; b < boxes.size(); ++b) {
        if (!boxes[b].empty()) tiles += int64_t{boxes[b].length(0)} * boxes[b].length(1);
        for (int y = boxes[b].begin[1]; y < boxes[b].end[1]; ++y) {
          for (int x = boxes[b].begin[0]; x < boxes[b].end[0]; ++x) {
            EXPECT_EQ(numbers[y * columns + x], b);  // no later box lies over it
          }
        }
      }
      EXPECT_EQ(tiles, int64_t{columns} * rows);
    }
  }
}

TEST(CutRectangle, NoTilesGiveEmptyRectangles) {
  for (const CellBox& box : cut_rectangle({}, 0, 0, 3)) EXPECT_TRUE(box.empty());
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
      one_by_one += most_by_mean(cut_grid(weights, {32, 21, 1}, parts), weights, 32) - 1;
    }
  }
  EXPECT_LT(tried, 0.8 * one_by_one);
}

TEST(CutRectangle, BordersAreShortWhereWeightsAreEqual) {
  const std::vector<int64_t> weights(40 * 20, 1);
  for (const CellBox& box : cut_rectangle(weights, 40, 20, 4)) {
    EXPECT_EQ(box.length(0) + box.length(1), 20 + 10) << "not twice as long as high";
  }
}

}  // namespace
}  // namespace tessera::distributed
