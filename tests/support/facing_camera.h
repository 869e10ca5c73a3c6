// Pinhole cameras by where they stand and what they face.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/camera.h"
#include "core/math/vec.h"

namespace tessera::test {

// At `center`, with its axes x and z along `right` and `forward` (of length 1, at right angles);
// its principal point is the picture's middle.
inline core::PosedCamera facing_camera(math::Vec3<double> center, math::Vec3<double> right,
                                       math::Vec3<double> forward, int width, int height,
                                       double focal_px) {
  const math::Vec3<double> down = cross(forward, right);
  core::PosedCamera posed;
  posed.camera.width = width;
  posed.camera.height = height;
  posed.camera.fx = posed.camera.fy = focal_px;
  posed.camera.cx = 0.5 * width;
  posed.camera.cy = 0.5 * height;
  posed.cam_from_world.rotation = {
      {{right.x, right.y, right.z}, {down.x, down.y, down.z}, {forward.x, forward.y, forward.z}}};
  posed.cam_from_world.translation = -(posed.cam_from_world.rotation * center);
  return posed;
}

}  // namespace tessera::test
