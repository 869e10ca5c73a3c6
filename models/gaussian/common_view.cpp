// SPDX-License-Identifier: MIT
#include "models/gaussian/common_view.h"

namespace tessera::models {

using Vec3d = math::Vec3<double>;

std::vector<core::PosedCamera> cameras_of(const core::PhotoSource& photos,
                                          const std::vector<int>& views) {
  std::vector<core::PosedCamera> cameras;
  cameras.reserve(views.size());
  for (const int view : views) cameras.push_back(photos.camera(view));
  return cameras;
}

math::Vec3<double> forward_axis(const core::Rigid& cam_from_world) {
  const auto& r = cam_from_world.rotation;
  return {r.m[2][0], r.m[2][1], r.m[2][2]};
}

Vec3d common_focus(std::span<const core::PosedCamera> cameras, double extent) {
  constexpr double kPull = 1e-3;
  math::Mat3<double> a = {};
  Vec3d b = {0, 0, 0};
  for (const core::PosedCamera& camera : cameras) {
    const Vec3d c = center_in_world(camera.cam_from_world);
    const Vec3d d = forward_axis(camera.cam_from_world);
    const double axis[3] = {d.x, d.y, d.z};
    math::Mat3<double> across;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        across.m[i][j] = (i == j ? 1.0 : 0.0) - axis[i] * axis[j];
        a.m[i][j] += across.m[i][j] + (i == j ? kPull : 0.0);
      }
    }
    b = b + across * c + kPull * (c + extent * d);
  }
  const double inverse_determinant = 1 / determinant(a);
  const auto solve = [&](int column) {
    math::Mat3<double> replaced = a;
    replaced.m[0][column] = b.x;
    replaced.m[1][column] = b.y;
    replaced.m[2][column] = b.z;
    return determinant(replaced) * inverse_determinant;
  };
  return {solve(0), solve(1), solve(2)};
}

}  // namespace tessera::models
