// How a multiplane image and the pictures drawn of it are divided among ranks: texels by rows of
// the reference picture, each owned by one rank, pixels by strips of a target picture.
//
// Strips are the same for any number of ranks, and gradients are summed strip by strip, so sums
// have the same bits whoever draws what.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/camera.h"
#include "core/multiplane_image.h"
#include "core/pixel_window.h"
#include "render/multiplane/tile_size.h"

namespace tessera::models {

// Rows [begin, end) of the reference picture.
struct RowRange {
  int begin = 0;
  int end = 0;

  int count() const { return std::max(0, end - begin); }
  bool empty() const { return end <= begin; }

  friend bool operator==(const RowRange&, const RowRange&) = default;
};

inline RowRange intersection(const RowRange& a, const RowRange& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}
// The smallest that holds both.
RowRange hull(const RowRange& a, const RowRange& b);

// The rows that a rank owns: its part of all, in the order of ranks.
RowRange owned_rows(const RowRange& all, int rank, int ranks);

inline constexpr int kStripRows = 2 * render::kMultiplaneTile;

struct Strip {
  int rank = 0;              // that draws it
  core::PixelWindow window;  // of the target picture, as wide as it
  RowRange rows;             // whose texels it may show, with a margin
};

// The strips of a target picture from its top, of layers that reach over the rows `all`. Each rank
// draws strips that hang together, nearly as many as any other, in the order of the rows which they
// show; so most of these are its own.
std::vector<Strip> strips_of(const core::PosedCamera& reference, const core::PosedCamera& target,
                             std::span<const core::MultiplaneLayer> layers, const RowRange& all,
                             int ranks);

// The strips that a rank draws, which follow one another.
std::span<const Strip> strips_of_rank(std::span<const Strip> strips, int rank);
// All their pixels; empty if there is none.
core::PixelWindow window_of(std::span<const Strip> strips);
// The rows whose texels they may show.
RowRange rows_of(std::span<const Strip> strips);

}  // namespace tessera::models
