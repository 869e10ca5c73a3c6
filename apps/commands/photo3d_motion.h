// Where the camera goes in films and stereo pictures of one photo: beside the place of the photo,
// all cameras parallel. What is at the focus stays where it is in the picture, by its principal
// point, so nothing is turned and a stereo pair has no vertical disparity.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/multiplane_image.h"

namespace tessera::apps {

struct Viewpoint {
  core::PosedCamera reference;
  double focus_inverse_depth = 0;  // 1 / units: what stays in place
  double reach = 0;                // units that cameras go to each side
};

// The reference camera moved by this in its own axes, x right, y down, z forward.
core::PosedCamera moved(const Viewpoint& viewpoint, math::Vec3<double> offset);

// A closed path of `frames` cameras: "orbit", "sway", "dolly" or "spiral". Throws UsageError naming
// them for others.
std::vector<core::PosedCamera> motion_path(const Viewpoint& viewpoint, std::string_view motion,
                                           int frames);

// The median inverse depth of what is seen from the reference camera, weighed by layers' areas.
double median_inverse_depth(const core::MultiplaneImage& image);
// The reach by which the nearest layers move against the farthest by models::usual_shift_px().
double usual_reach(const core::MultiplaneImage& image);

// Left eye's picture on the left, right eye's on the right.
core::Image8 side_by_side(const core::Image8& left, const core::Image8& right);
// For red (left) and cyan (right) glasses.
// Dubois, "A Projection Method to Generate Anaglyph Stereo Images", 2001: least squares in the
// colors that the glasses let through.
core::Image8 anaglyph(const core::Image8& left, const core::Image8& right);

}  // namespace tessera::apps
