// The depth that planners work on: known everywhere, in pixels of disparity.
//
// Disparity is how far a point moves between the reference and a view that stands the planned
// baseline beside it: fx * baseline * inverse depth. Errors in it are errors in the view.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "core/thread_pool.h"
#include "models/multiplane/plan.h"

namespace tessera::models {

struct DisparityMap {
  core::ImageF disparity;  // [height][width][1], above zero
  core::ImageF weight;     // of that shape; small where depth was unknown
  float least = 0;         // of the known ones
  float greatest = 0;
};

// Unknown pixels take the farther one of the nearest known pixels to their left and right, as what
// one of two views does not see is the background; rows without any take those of the next row.
DisparityMap make_disparity_map(const DepthPhoto& photo, double baseline, core::ThreadPool& pool);

}  // namespace tessera::models
