// Cuts a grid of cells into boxes of nearly equal weight: cells of space among the ranks that own
// what lies in them.
//
// Every rank that calls it with the same weights gets the same cuts, so nothing needs to be sent.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::distributed {

// Cells [begin, end) along each of up to three axes; flat grids have one cell along the third.
struct CellBox {
  std::array<int, 3> begin = {0, 0, 0};
  std::array<int, 3> end = {0, 0, 0};

  int length(int axis) const { return end[axis] - begin[axis]; }
  bool empty() const { return length(0) <= 0 || length(1) <= 0 || length(2) <= 0; }
  friend bool operator==(const CellBox&, const CellBox&) = default;
};

// `parts` boxes that cover each of the cells once; weights[(z * cells[1] + y) * cells[0] + x] >= 0.
// Each cut halves the number of parts across the longest side of what has any weight (Berger and
// Bokhari, "A Partitioning Strategy for Nonuniform Problems on Multiprocessors", 1987). Where there
// are fewer cells than parts, or all weight lies in few cells, some boxes are empty.
std::vector<CellBox> cut_grid(std::span<const int64_t> weights, std::array<int, 3> cells,
                              int parts);

// The number of the box that each cell lies in: [z][y][x], as the weights.
std::vector<uint16_t> boxes_of_cells(std::span<const CellBox> boxes, std::array<int, 3> cells);

}  // namespace tessera::distributed
