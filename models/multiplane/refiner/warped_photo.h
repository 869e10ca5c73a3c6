// Examples to learn from, made of one photo with depth: the photo as it would be seen from a place
// nearby, with holes where it does not show what is seen there. Back from there it is seen as the
// photo itself, which is the truth for what that view hides.
//
// Han, Wang and Yang, "Single-View View Synthesis in the Wild with Learned Adaptive Multiplane
// Images" (AdaMPI), 2022.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/camera.h"
#include "core/image.h"
#include "core/thread_pool.h"
#include "models/multiplane/plan.h"

namespace tessera::models {

struct TrainingPhoto {
  core::Image8 color;          // RGB
  core::ImageF inverse_depth;  // of that size; 0, negative, NaN: unknown
};

struct WarpedPhoto {
  DepthPhoto nearby;         // as seen from nearby; holes have no depth, and colors from beside
  core::Image8 nearby_mask;  // 255: not a hole
  core::PosedCamera camera;  // of the truth
  core::Image8 truth;        // RGB
  core::Image8 truth_mask;   // 255: of known depth and not at the border
  double baseline = 0;       // between the two
};

// One of `photos`, a piece of it, perhaps mirrored, colors exchanged, and a place nearby, all
// decided by (seed, step). Pictures have half the piece's size, so that what comes nearby is as
// sharp as the truth: `side` pixels, or fewer where the photo is smaller than two times that.
// The nearest moves against the farthest by 4 pixels to 15 % of the width; what is nearby shows
// what the piece holds at all depths, so it is smaller than the truth. Empty pictures if no depth
// is known in several pieces.
WarpedPhoto warped_photo(std::span<const TrainingPhoto> photos, int side, uint64_t seed, int step);

}  // namespace tessera::models
