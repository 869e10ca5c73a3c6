// Which part of the scene a view looks at, in a cut that depends on the cameras alone.
//
// However many ranks a run has, it sees the same views in the same order; so the cut knows nothing
// of ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/camera.h"
#include "models/gaussian/view_order.h"

namespace tessera::models {

// 16, or a region for each view of a larger step: a power of two.
int view_region_count(int batch);

// Of each camera, the region of the point it looks at. Regions have nearly equal numbers of
// cameras. They are the leaves of a binary tree from left to right: those of one half of the scene
// are the lower numbers, and so on. `count`: see view_region_count; `extent`: see scene_extent.
std::vector<int> view_regions(std::span<const core::PosedCamera> cameras, double extent, int count);

// Views of a batch are spread over the scene; alone they come in any order.
ViewOrder order_of_views(std::span<const core::PosedCamera> cameras, double extent, int batch,
                         uint64_t seed);

}  // namespace tessera::models
