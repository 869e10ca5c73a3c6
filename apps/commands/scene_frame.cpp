// SPDX-License-Identifier: MIT
#include "apps/commands/scene_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>
#include <vector>

#include "core/error.h"

namespace tessera::apps {
namespace {

using math::Vec3;

double length(Vec3<double> v) {
  return std::sqrt(dot(v, v));
}

Vec3<double> normalized(Vec3<double> v, Vec3<double> otherwise) {
  const double size = length(v);
  return size > 1e-12 ? v * (1 / size) : otherwise;
}

Vec3<double> row(const math::Mat3<double>& m, int i) {
  return {m.m[i][0], m.m[i][1], m.m[i][2]};
}

// Solves the symmetric system by Cramer's rule; `otherwise` if it is singular.
Vec3<double> solve(const math::Mat3<double>& a, Vec3<double> b, Vec3<double> otherwise) {
  const double size = determinant(a);
  if (std::abs(size) < 1e-9) return otherwise;
  double x[3];
  const double right[3] = {b.x, b.y, b.z};
  for (int column = 0; column < 3; ++column) {
    math::Mat3<double> replaced = a;
    for (int i = 0; i < 3; ++i) replaced.m[i][column] = right[i];
    x[column] = determinant(replaced) / size;
  }
  return {x[0], x[1], x[2]};
}

// The point with the least squared distance from the cameras' optical axes; with parallel axes a
// point before the cameras' mean.
Vec3<double> point_looked_at(std::span<const core::PosedCamera> cameras, Vec3<double> mean) {
  math::Mat3<double> a = {};
  Vec3<double> b = {0, 0, 0};
  Vec3<double> mean_axis = {0, 0, 0};
  double spread = 0;
  for (const core::PosedCamera& posed : cameras) {
    const Vec3<double> axis = row(posed.cam_from_world.rotation, 2);
    const Vec3<double> center = center_in_world(posed.cam_from_world);
    const double d[3] = {axis.x, axis.y, axis.z};
    const double c[3] = {center.x, center.y, center.z};
    double moved[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const double across = (i == j ? 1.0 : 0.0) - d[i] * d[j];
        a.m[i][j] += across / cameras.size();
        moved[i] += across * c[j];
      }
    }
    b = b + Vec3<double>{moved[0], moved[1], moved[2]} * (1.0 / cameras.size());
    mean_axis = mean_axis + axis;
    spread = std::max(spread, length(center - mean));
  }
  const Vec3<double> ahead = normalized(mean_axis, {0, 0, 1}) * std::max(2 * spread, 1.0);
  const Vec3<double> point = solve(a, b, mean + ahead);
  // Axes that part give a point behind the cameras: nothing that anyone looked at.
  return dot(point - mean, ahead) < 0 && length(mean_axis) > 0.5 * cameras.size() ? mean + ahead
                                                                                  : point;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

Vec3<double> axis_of(const std::string& name) {
  Vec3<double> up;
  if (std::sscanf(name.c_str(), "%lf %lf %lf", &up.x, &up.y, &up.z) == 3) {
    return normalized(up, {0, -1, 0});
  }
  const double sign = name.starts_with('-') ? -1 : 1;
  switch (name.empty() ? ' ' : name.back()) {
    case 'x':
      return {sign, 0, 0};
    case 'y':
      return {0, sign, 0};
    case 'z':
      return {0, 0, sign};
    default:
      return {0, -1, 0};
  }
}

// Value below which half of the weight lies.
double weighted_median(std::vector<std::pair<double, double>>& values_and_weights) {
  std::sort(values_and_weights.begin(), values_and_weights.end());
  double total = 0;
  for (const auto& [value, weight] : values_and_weights) total += weight;
  double sum = 0;
  for (const auto& [value, weight] : values_and_weights) {
    sum += weight;
    if (2 * sum >= total) return value;
  }
  return 0;
}

}  // namespace

SceneFrame frame_from_cameras(std::span<const core::PosedCamera> cameras) {
  if (cameras.empty()) throw core::Error("Without cameras there is nothing to orbit as they did.");
  SceneFrame frame;
  Vec3<double> mean = {0, 0, 0};
  Vec3<double> up = {0, 0, 0};
  for (const core::PosedCamera& posed : cameras) {
    mean = mean + center_in_world(posed.cam_from_world) * (1.0 / cameras.size());
    up = up - row(posed.cam_from_world.rotation, 1);
  }
  frame.up = normalized(up, {0, -1, 0});
  frame.center = point_looked_at(cameras, mean);
  std::vector<double> distances;
  std::vector<double> heights;
  for (const core::PosedCamera& posed : cameras) {
    const Vec3<double> offset = center_in_world(posed.cam_from_world) - frame.center;
    heights.push_back(dot(offset, frame.up));
    distances.push_back(length(offset - frame.up * heights.back()));
  }
  frame.height = median(heights);
  frame.distance = std::max(median(distances), 1e-6);
  const Vec3<double> look = frame.center - center_in_world(cameras[0].cam_from_world);
  const Vec3<double> side = normalized(cross(frame.up, Vec3<double>{1, 0, 0}), {0, 0, 1});
  frame.forward = normalized(look - frame.up * dot(look, frame.up), side);
  return frame;
}

SceneFrame frame_from_cloud(const core::GaussianCloud& cloud, const std::string& vertical_axis,
                            double fov_y) {
  if (cloud.size() == 0) throw core::Error("The scene holds no Gaussians: nothing can be drawn.");
  SceneFrame frame;
  frame.up = axis_of(vertical_axis);
  std::vector<std::pair<double, double>> weighted(cloud.size());
  double center[3];
  for (int axis = 0; axis < 3; ++axis) {
    const float* mean = cloud.plane(core::kMeanPlane + axis);
    const float* logit = cloud.plane(core::kOpacityPlane);
    for (int64_t i = 0; i < cloud.size(); ++i) {
      weighted[i] = {mean[i], 1 / (1 + std::exp(-static_cast<double>(logit[i])))};
    }
    center[axis] = weighted_median(weighted);
  }
  frame.center = {center[0], center[1], center[2]};
  std::vector<double> radii(cloud.size());
  for (int64_t i = 0; i < cloud.size(); ++i) {
    radii[i] = length(Vec3<double>{cloud.plane(0)[i], cloud.plane(1)[i], cloud.plane(2)[i]} -
                      frame.center);
  }
  const size_t ninth = radii.size() * 9 / 10;
  std::nth_element(radii.begin(), radii.begin() + ninth, radii.end());
  const double sight = std::max(radii[ninth], 1e-6) / std::sin(fov_y / 2);
  constexpr double kTilt = 20 * std::numbers::pi / 180;  // a little from above
  frame.distance = sight * std::cos(kTilt);
  frame.height = sight * std::sin(kTilt);
  const Vec3<double> ahead =
      std::abs(frame.up.z) > 0.5 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
  frame.forward = normalized(ahead - frame.up * dot(ahead, frame.up), {1, 0, 0});
  return frame;
}

std::string vertical_axis_name(Vec3<double> up) {
  const double components[3] = {up.x, up.y, up.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(components[axis]) > std::cos(25 * std::numbers::pi / 180)) {
      return std::string(components[axis] < 0 ? "-" : "+") + "xyz"[axis];
    }
  }
  // Without trailing zeros, as it comes back from a file.
  const auto rounded = [](double value) { return std::round(value * 1e4) / 1e4 + 0.0; };
  return fmt::format("{} {} {}", rounded(up.x), rounded(up.y), rounded(up.z));
}

core::Rigid look_at(Vec3<double> position, Vec3<double> target, Vec3<double> up) {
  const Vec3<double> z = normalized(target - position, {0, 0, 1});
  const Vec3<double> other = std::abs(z.x) < 0.9 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  const Vec3<double> x = normalized(cross(z, up), normalized(cross(z, other), other));
  const Vec3<double> y = cross(z, x);
  core::Rigid cam_from_world;
  cam_from_world.rotation = {{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}}};
  cam_from_world.translation = -(cam_from_world.rotation * position);
  return cam_from_world;
}

}  // namespace tessera::apps
