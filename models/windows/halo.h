// The pixels around a rank's window that its loss needs, from the ranks that drew them.
//
// SSIM's window and its gradient's reach 10 pixels: with fewer the gradient at the seams is wrong
// (zero padding at strip borders, as others have it, costs 12 to 15 % of it).
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/image.h"
#include "distributed/communicator.h"
#include "models/windows/drawn_windows.h"

namespace tessera::models {

// The pixels of one rank's window that another one's halo needs.
struct Seam {
  int from = 0;
  int to = 0;
  int view = 0;
  core::PixelWindow pixels;
};

// All of a round; pictures[view].
std::vector<Seam> seams_of(const Round& round, std::span<const core::PixelWindow> pictures,
                           int reach);

// Collective. `colors` are the renders of windows_of(round, own rank). Returns the render of each
// of them widened by `reach` pixels as far as its picture goes; of a whole picture, which has no
// halo, nothing.
std::vector<core::ImageF> with_halos(distributed::Communicator& ranks, const Round& round,
                                     std::span<const core::PixelWindow> pictures,
                                     std::span<const core::ImageF* const> colors, int reach);

}  // namespace tessera::models
