// What a capture's cameras look at together.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/camera.h"

namespace tessera::models {

// The camera's optical axis in the world, a unit vector.
math::Vec3<double> forward_axis(const core::Rigid& cam_from_world);

// The point nearest to all optical axes. Where they are parallel it is drawn to the points one
// extent in front of the cameras.
math::Vec3<double> common_focus(std::span<const core::PosedCamera> cameras, double extent);

}  // namespace tessera::models
