// SPDX-License-Identifier: MIT
#include "render/gaussian/camera_values.h"

#include <algorithm>

#include "core/camera.h"
#include "core/lens_extent.h"

namespace tessera::render {
namespace {

constexpr double kFrustumMargin = 0.15;  // of the picture's extent, on each side
constexpr double kMaxLensRadius = 57;    // 89 degrees from the axis: z must stay positive

}  // namespace

CameraValues camera_values(const core::PosedCamera& posed) {
  const core::Camera& camera = posed.camera;
  const math::Vec3<double>& t = posed.cam_from_world.translation;
  const math::Vec3<double> center = core::center_in_world(posed.cam_from_world);
  CameraValues c = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) c.rotation[i][j] = posed.cam_from_world.rotation.m[i][j];
  }
  const double translation[3] = {t.x, t.y, t.z};
  const double centers[3] = {center.x, center.y, center.z};
  std::copy_n(translation, 3, c.translation);
  std::copy_n(centers, 3, c.center);
  c.fx = camera.fx;
  c.fy = camera.fy;
  c.cx = camera.cx;
  c.cy = camera.cy;
  c.width = camera.width;
  c.height = camera.height;
  c.model = static_cast<int>(camera.model);
  c.distorted = !core::is_pinhole(camera);
  std::copy(camera.distortion.begin(), camera.distortion.end(), c.distortion);
  core::LensExtent extent = {-c.cx / c.fx, (c.width - c.cx) / c.fx, -c.cy / c.fy,
                             (c.height - c.cy) / c.fy};
  c.max_radius = 1e15;
  if (c.distorted) {
    const math::Lens<double> lens = core::lens_of(camera);
    c.max_radius = core::one_to_one_radius(lens, kMaxLensRadius);
    extent = core::lens_extent(camera, lens, c.max_radius);
  }
  const double margin_x = kFrustumMargin * (extent.right - extent.left);
  const double margin_y = kFrustumMargin * (extent.bottom - extent.top);
  c.min_x = extent.left - margin_x;
  c.max_x = extent.right + margin_x;
  c.min_y = extent.top - margin_y;
  c.max_y = extent.bottom + margin_y;
  return c;
}

}  // namespace tessera::render
