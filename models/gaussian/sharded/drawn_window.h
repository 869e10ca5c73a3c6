// Which rank draws which pixels of a step's views.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/pixel_window.h"

namespace tessera::models {

struct DrawnWindow {
  int view = 0;  // in the step
  int rank = 0;
  core::PixelWindow window;  // left and top on a tile's corner; empty if the rank has nothing to do
};

// Whether the views of a step are drawn whole, one by one rank, or all of them in blocks, one by
// each rank.
enum class Partition { kWholeViews, kBlocks };

// The windows of whole views, each drawn by one rank.
std::vector<DrawnWindow> whole_views(std::span<const core::PixelWindow> pictures,
                                     std::span<const int> rank_of_view);

// The windows of blocks, of each view one for each rank, cut so that the ranks' shares of
// tile_costs[view][tile] are nearly equal.
std::vector<DrawnWindow> blocks(std::span<const core::PixelWindow> pictures, int ranks,
                                std::span<const std::vector<int64_t>> tile_costs);

}  // namespace tessera::models
