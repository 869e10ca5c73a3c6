// Which rank draws which pixels of a step's views, in rounds: in each of them a rank draws at most
// one window, while the splats of the next round and the gradients of the one before are under way.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/pixel_window.h"

namespace tessera::models {

struct DrawnWindow {
  int view = -1;             // in the step; -1: none
  core::PixelWindow window;  // left and top on a tile's corner; empty if there is nothing to draw
};

// By rank, the same on all ranks. All windows of a view are in one round, beside one another.
using Round = std::vector<DrawnWindow>;

// Whether the views of a step are drawn whole, one by one rank, or all of them in blocks, one by
// each rank.
enum class Partition { kWholeViews, kBlocks };

// What the setting `partition` means for so many views and ranks: "views", "blocks", or "auto":
// whole views if there is one for each rank.
Partition partition_of(std::string_view setting, int views, int ranks);

// Each view whole: round k has the k-th view of each rank.
std::vector<Round> whole_views(std::span<const core::PixelWindow> pictures,
                               std::span<const int> rank_of_view, int ranks);

// A view in blocks, one for each rank, cut so that the ranks' shares of the tiles' costs are nearly
// equal.
Round blocks(int view, const core::PixelWindow& picture, int ranks,
             std::span<const int64_t> tile_costs);

}  // namespace tessera::models
