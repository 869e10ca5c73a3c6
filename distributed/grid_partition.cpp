// SPDX-License-Identifier: MIT
#include "distributed/grid_partition.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::distributed {
namespace {

class GridCutter {
 public:
  GridCutter(std::span<const int64_t> weights, std::array<int, 3> cells)
      : weights_(weights), cells_(cells) {}

  void cut(const CellBox& box, int parts, std::vector<CellBox>& to) const {
    if (parts == 1) {
      to.push_back(box);
      return;
    }
    const int first_parts = parts / 2;
    const Sums sums = sums_of(box);
    const int axis = longest_axis(box, sums);
    CellBox first = box, second = box;
    first.end[axis] = second.begin[axis] =
        box.begin[axis] + best_cut(sums[axis], first_parts, parts);
    cut(first, first_parts, to);
    cut(second, parts - first_parts, to);
  }

 private:
  using Sums = std::array<std::vector<int64_t>, 3>;  // weight of each layer across an axis

  Sums sums_of(const CellBox& box) const {
    Sums sums;
    for (int a = 0; a < 3; ++a) sums[a].assign(std::max(0, box.length(a)), 0);
    for (int z = box.begin[2]; z < box.end[2]; ++z) {
      for (int y = box.begin[1]; y < box.end[1]; ++y) {
        const int64_t row = (int64_t{z} * cells_[1] + y) * cells_[0];
        for (int x = box.begin[0]; x < box.end[0]; ++x) {
          const int64_t weight = weights_[row + x];
          sums[0][x - box.begin[0]] += weight;
          sums[1][y - box.begin[1]] += weight;
          sums[2][z - box.begin[2]] += weight;
        }
      }
    }
    return sums;
  }

  // The longest side of the box around the cells of any weight; of the box where there is none.
  static int longest_axis(const CellBox& box, const Sums& sums) {
    int best = 0;
    std::array<int, 3> length = {};
    for (int a = 0; a < 3; ++a) {
      const auto any = [](int64_t weight) { return weight != 0; };
      const auto first = std::find_if(sums[a].begin(), sums[a].end(), any);
      const auto last = std::find_if(sums[a].rbegin(), sums[a].rend(), any);
      length[a] = first == sums[a].end() ? box.length(a) : static_cast<int>(last.base() - first);
      if (length[a] > length[best]) best = a;
    }
    return best;
  }

  // Layers before the cut, so that their weight comes nearest to the share of the first parts; of
  // equally near cuts the first.
  static int best_cut(const std::vector<int64_t>& layers, int first_parts, int parts) {
    int64_t total = 0;
    for (const int64_t weight : layers) total += weight;
    int best = 0;
    int64_t before = 0;
    int64_t best_distance = total * first_parts;
    for (size_t at = 1; at <= layers.size(); ++at) {
      before += layers[at - 1];
      const int64_t distance = std::abs(before * parts - total * first_parts);
      if (distance >= best_distance) continue;
      best_distance = distance;
      best = static_cast<int>(at);
    }
    return best;
  }

  std::span<const int64_t> weights_;
  std::array<int, 3> cells_;
};

}  // namespace

std::vector<CellBox> cut_grid(std::span<const int64_t> weights, std::array<int, 3> cells,
                              int parts) {
  std::vector<CellBox> boxes;
  boxes.reserve(parts);
  GridCutter(weights, cells).cut({{0, 0, 0}, cells}, parts, boxes);
  return boxes;
}

std::vector<uint16_t> boxes_of_cells(std::span<const CellBox> boxes, std::array<int, 3> cells) {
  std::vector<uint16_t> numbers(int64_t{cells[0]} * cells[1] * cells[2], 0);
  for (size_t b = 0; b < boxes.size(); ++b) {
    const CellBox& box = boxes[b];
    for (int z = box.begin[2]; z < box.end[2]; ++z) {
      for (int y = box.begin[1]; y < box.end[1]; ++y) {
        const auto row = numbers.begin() + (int64_t{z} * cells[1] + y) * cells[0];
        std::fill(row + box.begin[0], row + box.end[0], static_cast<uint16_t>(b));
      }
    }
  }
  return numbers;
}

}  // namespace tessera::distributed
