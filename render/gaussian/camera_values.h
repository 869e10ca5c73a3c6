// A camera as the splat mathematics takes it, in double and as plain values that kernel files can
// see.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::core {
struct PosedCamera;
}

namespace tessera::render {

struct CameraValues {
  double rotation[3][3];  // cam_from_world
  double translation[3];
  double center[3];  // in the world
  double fx, fy, cx, cy;
  int width, height;
  int model;  // COLMAP's number; a pinhole one if `distorted` is false
  bool distorted;
  double distortion[8];
  double max_radius;                  // of (x/z, y/z): beyond it nothing is drawn
  double min_x, max_x, min_y, max_y;  // bounds of x/z and y/z in the Jacobian
};

CameraValues camera_values(const core::PosedCamera& posed);

}  // namespace tessera::render
