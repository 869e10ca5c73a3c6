// Which rank draws which pixels of a step's views, in rounds: while one is drawn the splats of the
// next one and the gradients of the one before are under way.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/pixel_window.h"

namespace tessera::models {

struct DrawnWindow {
  int rank = 0;              // that draws it
  int view = 0;              // in the step
  core::PixelWindow window;  // left and top on a tile's corner; not empty

  friend bool operator==(const DrawnWindow&, const DrawnWindow&) = default;
};

// In the order of ranks, the same on all of them. All windows of a view are in one round and cover
// it once; a rank has any number of windows, but of each view at most one.
using Round = std::vector<DrawnWindow>;

// Those that a rank draws.
std::span<const DrawnWindow> windows_of(const Round& round, int rank);

// How the pixels of a step's views are divided among the ranks: each view whole, by one rank; most
// of each by one rank, and in strips what would make that one slower than the others (see
// balanced_views.h); or each in blocks, one by each rank.
enum class Partition { kWholeViews, kBalancedViews, kBlocks };
std::string_view name_of(Partition partition);

// What the setting `partition` means for so many views and ranks: a partition's name, or "auto":
// whole views if there is one for each rank, else blocks.
Partition partition_of(std::string_view setting, int views, int ranks);

// Each view whole: round k has the k-th view of each rank.
std::vector<Round> whole_views(std::span<const core::PixelWindow> pictures,
                               std::span<const int> rank_of_view, int ranks);

// A view in blocks, one for each rank, cut so that the ranks' shares of the tiles' costs are nearly
// equal. Ranks get none where there are fewer tiles.
Round blocks(int view, const core::PixelWindow& picture, int ranks,
             std::span<const int64_t> tile_costs);

}  // namespace tessera::models
