// Which rank draws which pixels of a step's views, in rounds: while one is drawn the splats of the
// next one and the gradients of the one before are under way.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/pixel_window.h"
#include "models/windows/drawn_windows.h"

namespace tessera::models {

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
