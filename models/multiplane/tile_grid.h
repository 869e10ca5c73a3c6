// How a picture is cut into tiles that overlap.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include "core/multiplane_image.h"
#include "core/pixel_window.h"

namespace tessera::models {

// The largest layer that a page can hold.
inline constexpr int kLargestTile = core::kLargestPage - 2 * core::kLayerGutter;
// Pixels that the tiles of planners for the whole picture share where one page cannot hold it.
inline constexpr int kWholeTileOverlap = 8;

// In rows; tiles at the right and lower border are shorter, but reach beyond the one before.
inline std::vector<core::PixelWindow> tile_grid(int width, int height, int size, int stride) {
  std::vector<core::PixelWindow> tiles;
  for (int top = 0; top == 0 || top + size - stride < height; top += stride) {
    for (int left = 0; left == 0 || left + size - stride < width; left += stride) {
      tiles.push_back({left, top, std::min(size, width - left), std::min(size, height - top)});
    }
  }
  return tiles;
}

inline std::vector<core::PixelWindow> largest_tiles(int width, int height) {
  return tile_grid(width, height, kLargestTile, kLargestTile - kWholeTileOverlap);
}

}  // namespace tessera::models
