// Slanted planes of disparity for the pixels of a tile.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/image.h"
#include "core/pixel_window.h"
#include "models/multiplane/disparity_map.h"
#include "models/multiplane/planner.h"

namespace tessera::models {

// Rounds of weighted least squares, each pixel going to the plane nearest in disparity after each
// (Lloyd's algorithm with planes for means). `labels` is of the window; it says where to start and
// gets where it ends. Returns the weighted mean of squared errors.
// Slopes are held back where few pixels would decide, and such that a plane stays near the
// disparities of the tile wherever the window is.
double fit_planes(const DisparityMap& map, const core::PixelWindow& window, int rounds,
                  std::span<DisparityPlane> planes, core::Image8& labels);

}  // namespace tessera::models
