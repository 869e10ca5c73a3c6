// Key frames that a camera goes through.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/camera_curve.h"
#include "viewer/camera/view_camera.h"

namespace tessera::viewer {

struct CameraPath {
  std::vector<core::CameraKey> keys;
  double seconds = 6;  // from the first to the last
  double frames_per_second = 30;

  // The first and the last frame are the first and the last key.
  int frames() const;
  ViewCamera at_frame(int frame) const;
};

core::CameraKey key_of(const ViewCamera& camera);
ViewCamera view_of(const core::CameraKey& key);

// Keys around `camera`'s pivot on a circle about `up`, back to where it stands.
std::vector<core::CameraKey> turntable_keys(const ViewCamera& camera, math::Vec3<double> up);

// As `tessera render --path` reads it, positions moved by `origin`.
std::string path_json(const CameraPath& path, math::Vec3<double> origin);

}  // namespace tessera::viewer
