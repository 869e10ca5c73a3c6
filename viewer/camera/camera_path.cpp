// SPDX-License-Identifier: MIT
#include "viewer/camera/camera_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/math/quat.h"

namespace tessera::viewer {
namespace {

constexpr int kTurntableKeys = 24;

std::string vector_json(math::Vec3<double> v) {
  return fmt::format("[{}, {}, {}]", v.x, v.y, v.z);
}

}  // namespace

int CameraPath::frames() const {
  return std::max(1, static_cast<int>(std::lround(seconds * frames_per_second)));
}

ViewCamera CameraPath::at_frame(int frame) const {
  const int last = frames() - 1;
  const double share = last > 0 ? static_cast<double>(std::clamp(frame, 0, last)) / last : 0;
  return view_of(core::on_curve(keys, share * static_cast<double>(keys.size() - 1)));
}

core::CameraKey key_of(const ViewCamera& camera) {
  return {camera.center, camera.pivot(), -camera.down(), camera.fov_y};
}

ViewCamera view_of(const core::CameraKey& key) {
  ViewCamera view = looking_at(key.position, key.target, key.up);
  view.fov_y = key.fov_deg;
  return view;
}

std::vector<core::CameraKey> turntable_keys(const ViewCamera& camera, math::Vec3<double> up) {
  std::vector<core::CameraKey> keys;
  const math::Vec3<double> pivot = camera.pivot();
  for (int i = 0; i <= kTurntableKeys; ++i) {
    const double half = std::numbers::pi * i / kTurntableKeys;
    const double s = std::sin(half);
    const math::Mat3<double> turn = math::rotation_from_quaternion(
        math::Vec4<double>{std::cos(half), s * up.x, s * up.y, s * up.z});
    core::CameraKey key = key_of(camera);
    key.position = pivot + turn * (key.position - pivot);
    key.up = turn * key.up;
    keys.push_back(key);
  }
  return keys;
}

std::string path_json(const CameraPath& path, math::Vec3<double> origin) {
  std::string text = "{\"keyframes\": [\n";
  for (size_t i = 0; i < path.keys.size(); ++i) {
    const core::CameraKey& key = path.keys[i];
    text += fmt::format("  {{\"position\": {}, \"look_at\": {}, \"up\": {}, \"fov_deg\": {}}}{}\n",
                        vector_json(key.position + origin), vector_json(key.target + origin),
                        vector_json(key.up), key.fov_deg, i + 1 < path.keys.size() ? "," : "");
  }
  return text + "]}\n";
}

}  // namespace tessera::viewer
