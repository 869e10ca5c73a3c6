// The pixels around a rank's block that its loss needs, from the ranks that drew them.
//
// SSIM's window and its gradient's reach 10 pixels: with fewer the gradient at the seams is wrong
// (zero padding at strip borders, as others have it, costs 12 to 15 % of it).
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/image.h"
#include "distributed/communicator.h"
#include "models/gaussian/sharded/drawn_window.h"

namespace tessera::models {

// Collective. colors[w] is the render of windows[w] where this rank drew it; `pictures` are the
// views'. Returns, at the same places, the renders of the windows widened by `reach` pixels as far
// as the pictures go.
std::vector<core::ImageF> with_halo(distributed::Communicator& ranks,
                                    std::span<const DrawnWindow> windows,
                                    std::span<const core::PixelWindow> pictures,
                                    std::span<const core::ImageF* const> colors, int reach);

}  // namespace tessera::models
