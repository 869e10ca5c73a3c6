// The pixels around a rank's block that its loss needs, from the ranks that drew them.
//
// SSIM's window and its gradient's reach 10 pixels: with fewer the gradient at the seams is wrong
// (zero padding at strip borders, as others have it, costs 12 to 15 % of it).
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/image.h"
#include "distributed/communicator.h"
#include "models/gaussian/sharded/round.h"

namespace tessera::models {

// The pixels of one rank's window that another one's halo needs.
struct Seam {
  int from = 0;
  int to = 0;
  core::PixelWindow pixels;
};

// All of a round whose windows are of one view, whose picture is `picture`.
std::vector<Seam> seams_of(const Round& round, const core::PixelWindow& picture, int reach);

// Collective. The windows of a round are of one view, whose picture is `picture`; `color` is the
// render of this rank's, not read if that one is empty. Returns the render of the window widened by
// `reach` pixels as far as the picture goes.
core::ImageF with_halo(distributed::Communicator& ranks, const Round& round,
                       const core::PixelWindow& picture, const core::ImageF& color, int reach);

}  // namespace tessera::models
