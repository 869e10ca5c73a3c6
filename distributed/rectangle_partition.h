// Cuts the tiles of a picture into rectangles of nearly equal weight, for the ranks that draw them.
//
// Pictures have few tiles, and a row of them weighs several percent of a rank's share; so the cuts
// of a recursive bisection are not taken one by one, each as equal as can be, but those near them
// are tried together.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::distributed {

// Tiles [begin, end) across and down.
struct TileRectangle {
  std::array<int, 2> begin = {0, 0};
  std::array<int, 2> end = {0, 0};

  int length(int axis) const { return end[axis] - begin[axis]; }
  bool empty() const { return length(0) <= 0 || length(1) <= 0; }
};

// `parts` rectangles that cover each tile once;
// weights[row * columns + column] >= 0. Every rank that calls it with the same weights gets the
// same ones. Where there are fewer tiles than parts, or all weight lies in few, some are empty.
std::vector<TileRectangle> cut_rectangle(std::span<const int64_t> weights, int columns, int rows,
                                         int parts);

}  // namespace tessera::distributed
