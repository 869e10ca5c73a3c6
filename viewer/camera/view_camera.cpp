// SPDX-License-Identifier: MIT
#include "viewer/camera/view_camera.h"

#include <cmath>
#include <numbers>

namespace tessera::viewer {
namespace {

using math::Mat3;
using math::Vec3;

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kNearest = 0.01;  // as the rasterizer's

Mat3<double> rows(Vec3<double> x, Vec3<double> y, Vec3<double> z) {
  return {{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
}

Vec3<double> unit(Vec3<double> v) {
  return v * (1 / std::sqrt(dot(v, v)));
}

}  // namespace

ViewCamera looking_at(Vec3<double> center, Vec3<double> target, Vec3<double> up) {
  ViewCamera view;
  view.center = center;
  const Vec3<double> to = target - center;
  view.pivot_distance = std::sqrt(dot(to, to));
  const Vec3<double> forward = unit(to);
  Vec3<double> right = cross(forward, up);
  if (dot(right, right) < 1e-12 * dot(up, up)) {  // along the vertical
    right =
        cross(forward, std::abs(forward.x) < 0.9 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0});
  }
  right = unit(right);
  view.rotation = rows(right, cross(forward, right), forward);
  return view;
}

core::PosedCamera posed_camera(const ViewCamera& view, int width, int height) {
  core::PosedCamera posed;
  posed.camera.width = width;
  posed.camera.height = height;
  posed.camera.fx = posed.camera.fy = height / (2 * std::tan(view.fov_y * kRadians / 2));
  posed.camera.cx = width / 2.0;
  posed.camera.cy = height / 2.0;
  posed.cam_from_world = {view.rotation, -(view.rotation * view.center)};
  return posed;
}

ViewCamera view_of(const core::PosedCamera& posed, double pivot_distance) {
  ViewCamera view;
  view.center = center_in_world(posed.cam_from_world);
  view.rotation = posed.cam_from_world.rotation;
  view.pivot_distance = pivot_distance;
  view.fov_y = 2 * std::atan(posed.camera.height / (2 * posed.camera.fy)) / kRadians;
  return view;
}

Projection projection_of(const ViewCamera& view, int width, int height, double extent) {
  Projection p;
  p.width = width;
  p.height = height;
  p.cx = width / 2.0;
  p.cy = height / 2.0;
  p.orthographic = view.orthographic;
  p.fx = p.fy = height / (2 * std::tan(view.fov_y * kRadians / 2));
  Vec3<double> center = view.center;
  if (view.orthographic) {
    p.fx = p.fy = p.fx / view.pivot_distance;
    // Far enough back that all that is shown lies before it.
    p.half_depth = 2 * (extent + view.pivot_distance);
    center = view.pivot() - 0.5 * p.half_depth * view.forward();
    p.nearest = 1e-6 * p.half_depth;
  } else {
    p.nearest = kNearest;
  }
  p.camera_from_world = {view.rotation, -(view.rotation * center), 1};
  return p;
}

Projection projection_of(const core::PosedCamera& posed) {
  Projection p;
  p.camera_from_world = {posed.cam_from_world.rotation, posed.cam_from_world.translation, 1};
  p.fx = posed.camera.fx;
  p.fy = posed.camera.fy;
  p.cx = posed.camera.cx;
  p.cy = posed.camera.cy;
  p.width = posed.camera.width;
  p.height = posed.camera.height;
  p.nearest = kNearest;
  return p;
}

void Projection::clip_from_world(float (&rows)[16]) const {
  const double sx = 2.0 / width, sy = 2.0 / height;
  // Over x, y, z, 1 of the camera.
  const double clip[4][4] = {
      {sx * fx, 0, orthographic ? 0 : sx * cx - 1, orthographic ? sx * cx - 1 : 0},
      {0, -sy * fy, orthographic ? 0 : 1 - sy * cy, orthographic ? 1 - sy * cy : 0},
      {0, 0, orthographic ? 1 / half_depth : 1, orthographic ? 0 : -2 * nearest},
      {0, 0, orthographic ? 0.0 : 1.0, orthographic ? 1.0 : 0.0}};
  const core::Similarity& c = camera_from_world;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k) sum += clip[i][k] * c.scale * c.rotation.m[k][j];
      rows[4 * i + j] = static_cast<float>(sum);
    }
    rows[4 * i + 3] =
        static_cast<float>(clip[i][0] * c.translation.x + clip[i][1] * c.translation.y +
                           clip[i][2] * c.translation.z + clip[i][3]);
  }
}

void clip_from_item(const Projection& projection, const core::Similarity& world_from_item,
                    float (&rows)[16]) {
  Projection moved = projection;
  moved.camera_from_world = projection.camera_from_world * world_from_item;
  moved.clip_from_world(rows);
}

Vec3<double> Projection::pixel_of(Vec3<double> world) const {
  const Vec3<double> p = camera_from_world(world);
  const double inverse = orthographic ? 1 : 1 / p.z;
  return {fx * p.x * inverse + cx, fy * p.y * inverse + cy, p.z};
}

Ray ray_of(const Projection& projection, math::Vec2<double> pixel) {
  const core::Similarity world_from_camera = projection.camera_from_world.inverse();
  const double x = (pixel.x - projection.cx) / projection.fx;
  const double y = (pixel.y - projection.cy) / projection.fy;
  if (projection.orthographic) {
    return {world_from_camera({x, y, 0}), world_from_camera.rotation * Vec3<double>{0, 0, 1}};
  }
  return {world_from_camera({0, 0, 0}), world_from_camera.rotation * Vec3<double>{x, y, 1}};
}

}  // namespace tessera::viewer
