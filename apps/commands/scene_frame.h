// Where the middle of a scene is and which way is up, from what there is: the cameras that
// photographed it, or the Gaussians alone.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/math/vec.h"

namespace tessera::apps {

// What an orbit around a scene needs.
struct SceneFrame {
  math::Vec3<double> center = {0, 0, 0};   // what the cameras look at
  math::Vec3<double> up = {0, -1, 0};      // unit
  double distance = 1;                     // from the center to a camera, along the ground
  double height = 0;                       // of a camera above the center, along up
  math::Vec3<double> forward = {0, 0, 1};  // unit, across up: from the first camera to the center
};

// The center is the point nearest to all optical axes, up the mean of the cameras' own. Throws
// core::Error without cameras.
SceneFrame frame_from_cameras(std::span<const core::PosedCamera> cameras);

// Without cameras: the center is the middle of the scene's bulk, and the distance such that
// `camera` (of a centered principal point) sees at least 98 % of the Gaussians whole, weighed by
// their opacity, from every place of an orbit. `up` is a unit vector. Throws core::Error without
// Gaussians.
SceneFrame frame_from_cloud(const core::GaussianCloud& cloud, math::Vec3<double> up,
                            const core::Camera& camera);

// The unit vector that "+z", "-y", ... or three numbers name; -y for an empty name, as captures of
// COLMAP usually stand.
math::Vec3<double> vertical_axis_direction(const std::string& name);

// "+z", "-y", ...: the axis that the unit vector `up` is nearest to; its three numbers if that is
// more than 25 degrees away.
std::string vertical_axis_name(math::Vec3<double> up);

// The pose of a camera at `position` that looks at `target` with `up` upwards in its picture.
core::Rigid look_at(math::Vec3<double> position, math::Vec3<double> target, math::Vec3<double> up);

}  // namespace tessera::apps
