// SPDX-License-Identifier: MIT
#include "apps/commands/scene_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <vector>

#include "core/error.h"
#include "core/median.h"

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

double opacity_of(const core::GaussianCloud& cloud, int64_t i) {
  return 1 / (1 + std::exp(-static_cast<double>(cloud.plane(core::kOpacityPlane)[i])));
}

struct Weighted {
  double value = 0;
  double weight = 0;
};

// Value below which this part of the weight lies.
double quantile(std::vector<Weighted>& values, double part) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double total = 0;
  for (const Weighted& entry : values) total += entry.weight;
  double sum = 0;
  for (const Weighted& entry : values) {
    sum += entry.weight;
    if (sum >= part * total) return entry.value;
  }
  return values.back().value;
}

// What a turn about a vertical axis leaves of a Gaussian, relative to a center.
struct Swept {
  double radius = 0;  // of the circle that its mean goes along
  double height = 0;
  double extent = 0;  // of a ball around it
  double weight = 0;
};

std::vector<Swept> swept_around(const core::GaussianCloud& cloud, Vec3<double> center,
                                Vec3<double> up) {
  constexpr double kSigmas = 3;  // what lies beyond is hardly seen
  std::vector<Swept> result(cloud.size());
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const Vec3<double> offset =
        Vec3<double>{cloud.plane(core::kMeanPlane)[i], cloud.plane(core::kMeanPlane + 1)[i],
                     cloud.plane(core::kMeanPlane + 2)[i]} -
        center;
    const double height = dot(offset, up);
    float log_scale = cloud.plane(core::kLogScalePlane)[i];
    for (int a = 1; a < 3; ++a) {
      log_scale = std::max(log_scale, cloud.plane(core::kLogScalePlane + a)[i]);
    }
    result[i] = {length(offset - up * height), height, kSigmas * std::exp(log_scale),
                 opacity_of(cloud, i)};
  }
  return result;
}

// The four planes of a camera's view, each by what it asks of the camera's distance: a ball is
// inside from everywhere on the orbit if distance >= extent * e + radius * r + height * h.
struct ViewPlane {
  double e, r, h;

  double distance(const Swept& s) const { return s.extent * e + s.radius * r + s.height * h; }
};

double distance_for(const std::vector<Swept>& cloud, std::initializer_list<ViewPlane> planes) {
  constexpr double kSeen = 0.98;
  constexpr double kLittle = 0.15;
  std::vector<Weighted> distances;
  distances.reserve(cloud.size());
  for (const Swept& gaussian : cloud) {
    double most = -std::numeric_limits<double>::infinity();
    for (const ViewPlane& plane : planes) most = std::max(most, plane.distance(gaussian));
    distances.push_back({most, gaussian.weight});
  }
  // A thin end that reaches a little further is part of the scene; what is far out is astray.
  const double seen = quantile(distances, kSeen);
  const double limit = seen + kLittle * std::abs(seen);
  double most = seen;
  for (const Weighted& entry : distances) {
    if (entry.value <= limit) most = std::max(most, entry.value);
  }
  return most;
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
  frame.height = core::median(heights);
  frame.distance = std::max(core::median(distances), 1e-6);
  const Vec3<double> look = frame.center - center_in_world(cameras[0].cam_from_world);
  const Vec3<double> side = normalized(cross(frame.up, Vec3<double>{1, 0, 0}), {0, 0, 1});
  frame.forward = normalized(look - frame.up * dot(look, frame.up), side);
  return frame;
}

SceneFrame frame_from_cloud(const core::GaussianCloud& cloud, Vec3<double> up,
                            const core::Camera& camera) {
  if (cloud.size() == 0) throw core::Error("The scene holds no Gaussians: nothing can be drawn.");
  SceneFrame frame;
  frame.up = up;
  const Vec3<double> ahead = std::abs(up.z) > 0.5 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
  frame.forward = normalized(ahead - up * dot(ahead, up), {1, 0, 0});
  // The orbit's axis: the middle of what lies between the outer hundredths. A median would stand
  // where the Gaussians are dense, as in the body of a guitar.
  frame.center = {0, 0, 0};
  for (const Vec3<double>& axis : {frame.forward, cross(frame.forward, up), up}) {
    std::vector<Weighted> places(cloud.size());
    for (int64_t i = 0; i < cloud.size(); ++i) {
      const Vec3<double> mean = {cloud.plane(core::kMeanPlane)[i],
                                 cloud.plane(core::kMeanPlane + 1)[i],
                                 cloud.plane(core::kMeanPlane + 2)[i]};
      places[i] = {dot(mean, axis), opacity_of(cloud, i)};
    }
    frame.center = frame.center + axis * (0.5 * (quantile(places, 0.01) + quantile(places, 0.99)));
  }
  // With the planes' normals as seen from an orbit that is tilted by `tilt`.
  constexpr double kTilt = 20 * std::numbers::pi / 180;  // a little from above
  constexpr double kFilled = 0.95;                       // of the picture
  const double half_y = std::atan(0.5 * kFilled * camera.height / camera.fy);
  const double half_x = std::atan(0.5 * kFilled * camera.width / camera.fx);
  const double narrow_y = std::sin(half_y);
  const double narrow_x = std::sin(half_x);
  const ViewPlane top = {1 / narrow_y, std::abs(std::sin(kTilt - half_y)) / narrow_y,
                         std::cos(kTilt - half_y) / narrow_y};
  const ViewPlane bottom = {1 / narrow_y, std::sin(kTilt + half_y) / narrow_y,
                            -std::cos(kTilt + half_y) / narrow_y};
  const ViewPlane side = {1 / narrow_x,
                          std::hypot(narrow_x * std::cos(kTilt), std::cos(half_x)) / narrow_x,
                          std::sin(kTilt)};
  std::vector<Swept> swept = swept_around(cloud, frame.center, up);
  // Raising the center moves the two edges' distances against each other; where they are equal,
  // as much is free above the scene as below.
  const double raise =
      (distance_for(swept, {top}) - distance_for(swept, {bottom})) / (top.h - bottom.h);
  frame.center = frame.center + up * raise;
  for (Swept& gaussian : swept) gaussian.height -= raise;
  const double sight = std::max(distance_for(swept, {top, bottom, side}), 1e-6);
  frame.distance = sight * std::cos(kTilt);
  frame.height = sight * std::sin(kTilt);
  return frame;
}

Vec3<double> vertical_axis_direction(const std::string& name) {
  Vec3<double> up;
  if (std::sscanf(name.c_str(), "%lf %lf %lf", &up.x, &up.y, &up.z) == 3) {
    return std::isfinite(length(up)) ? normalized(up, {0, -1, 0}) : Vec3<double>{0, -1, 0};
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
