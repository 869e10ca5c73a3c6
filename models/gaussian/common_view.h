// The cameras that are trained on, and what they look at together.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/camera.h"
#include "core/photo_source.h"

namespace tessera::models {

std::vector<core::PosedCamera> cameras_of(const core::PhotoSource& photos,
                                          const std::vector<int>& views);

// The camera's optical axis in the world, a unit vector.
math::Vec3<double> forward_axis(const core::Rigid& cam_from_world);

// The point nearest to all optical axes. Where they are parallel it is drawn to the points one
// extent in front of the cameras.
math::Vec3<double> common_focus(std::span<const core::PosedCamera> cameras, double extent);

}  // namespace tessera::models
