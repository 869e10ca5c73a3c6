// SPDX-License-Identifier: MIT
#include "apps/commands/scene_view.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace tessera::apps {

math::Vec3<double> origin_of(const core::GaussianScene& scene) {
  return {scene.origin_in_file[0], scene.origin_in_file[1], scene.origin_in_file[2]};
}

core::PosedCamera shifted(const core::PosedCamera& camera, math::Vec3<double> shift) {
  core::PosedCamera moved = camera;
  moved.cam_from_world.translation =
      camera.cam_from_world.translation + camera.cam_from_world.rotation * shift;
  return moved;
}

void move_to_origin(core::GaussianScene& scene, math::Vec3<double> origin) {
  const math::Vec3<double> shift = origin_of(scene) - origin;
  const double shifts[3] = {shift.x, shift.y, shift.z};
  const double origins[3] = {origin.x, origin.y, origin.z};
  for (int axis = 0; axis < 3; ++axis) {
    scene.origin_in_file[axis] = origins[axis];
    if (shifts[axis] == 0) continue;
    float* mean = scene.cloud.plane(core::kMeanPlane + axis);
    for (int64_t i = 0; i < scene.cloud.size(); ++i) {
      mean[i] = static_cast<float>(mean[i] + shifts[axis]);
    }
  }
}

core::Camera resized(const core::Camera& camera, int width, int height) {
  const double ratio = static_cast<double>(width) / camera.width;
  const int same_shape = std::max(1, static_cast<int>(std::lround(camera.height * ratio)));
  if (height == 0 || std::abs(height - same_shape) <= 1) {
    return scaled(camera, width, height == 0 ? same_shape : height);
  }
  const double scale = static_cast<double>(height) / camera.height;
  core::Camera cut = camera;
  cut.width = width;
  cut.height = height;
  cut.fx = camera.fx * scale;
  cut.fy = camera.fy * scale;
  cut.cx = camera.cx * scale + 0.5 * (width - camera.width * scale);
  cut.cy = camera.cy * scale;
  return cut;
}

std::vector<std::string> picture_names(const std::vector<std::string>& view_names) {
  const auto without_extension = [](const std::string& name) {
    return std::filesystem::path(name).replace_extension().generic_string();
  };
  std::map<std::string, int> uses;
  for (const std::string& name : view_names) ++uses[without_extension(name)];
  std::vector<std::string> names;
  for (const std::string& name : view_names) {
    const std::string stem = without_extension(name);
    names.push_back((uses[stem] > 1 ? name : stem) + ".png");
  }
  return names;
}

}  // namespace tessera::apps
