// SPDX-License-Identifier: MIT
#include "models/gaussian/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/math/rng.h"
#include "models/gaussian/neighbors.h"

namespace tessera::models {
namespace {

using Vec3d = math::Vec3<double>;

constexpr double kShDegree0 = 0.28209479177387814;  // Y_00
constexpr float kMinSquaredDistance = 1e-7F;        // coincident points still get a size

float logit(float opacity) {
  return std::log(opacity / (1 - opacity));
}

double length(Vec3d v) {
  return std::sqrt(dot(v, v));
}

Vec3d forward_axis(const core::PosedCamera& camera) {
  const auto& r = camera.cam_from_world.rotation;
  return {r.m[2][0], r.m[2][1], r.m[2][2]};
}

bool sees(const core::PosedCamera& posed, Vec3d point) {
  const core::Camera& camera = posed.camera;
  const Vec3d p = posed.cam_from_world.rotation * point + posed.cam_from_world.translation;
  if (!(p.z > 0)) return false;
  const double u = camera.fx * p.x / p.z + camera.cx;
  const double v = camera.fy * p.y / p.z + camera.cy;
  return u >= 0 && v >= 0 && u < camera.width && v < camera.height;
}

// The point nearest to all optical axes. Where they are parallel it is drawn to the points one
// extent in front of the cameras.
Vec3d common_focus(std::span<const core::PosedCamera> cameras, double extent) {
  constexpr double kPull = 1e-3;
  math::Mat3<double> a = {};
  Vec3d b = {0, 0, 0};
  for (const core::PosedCamera& camera : cameras) {
    const Vec3d c = center_in_world(camera.cam_from_world);
    const Vec3d d = forward_axis(camera);
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

core::ColoredPoint random_color(uint64_t seed, uint32_t step, uint64_t id, Vec3d position) {
  const math::Random4 bits = random_bits(seed, math::RandomStream::kInit, step, id);
  core::ColoredPoint point;
  point.position = position;
  for (int c = 0; c < 3; ++c) point.rgb[c] = static_cast<uint8_t>(bits.v[c] >> 24);
  return point;
}

}  // namespace

double scene_extent(std::span<const core::PosedCamera> cameras) {
  Vec3d mean = {0, 0, 0};
  for (const core::PosedCamera& camera : cameras) {
    mean = mean + center_in_world(camera.cam_from_world);
  }
  mean = mean * (1.0 / static_cast<double>(std::max<size_t>(cameras.size(), 1)));
  double largest = 0;
  for (const core::PosedCamera& camera : cameras) {
    largest = std::max(largest, length(center_in_world(camera.cam_from_world) - mean));
  }
  return largest > 0 ? 1.1 * largest : 1.0;
}

int64_t gaussian_budget(const TrainSettings& settings, std::span<const core::PosedCamera> cameras,
                        int64_t start_size) {
  constexpr int64_t kMcmcCap = 1000000;
  if (settings.max_gaussians > 0) return settings.max_gaussians;
  if (settings.strategy == "mcmc") return kMcmcCap;
  int64_t pixels = 0;
  for (const core::PosedCamera& camera : cameras) {
    pixels += int64_t{camera.camera.width} * camera.camera.height;
  }
  return std::max(start_size, pixels / kPixelsPerGaussian);
}

core::GaussianCloud cloud_from_points(std::span<const core::ColoredPoint> points,
                                      const TrainSettings& settings, core::ThreadPool& pool) {
  std::vector<math::Vec3<float>> positions;
  std::vector<const core::ColoredPoint*> used;
  for (const core::ColoredPoint& point : points) {
    const math::Vec3<float> p = {static_cast<float>(point.position.x),
                                 static_cast<float>(point.position.y),
                                 static_cast<float>(point.position.z)};
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) continue;
    positions.push_back(p);
    used.push_back(&point);
  }
  if (used.empty()) {
    throw core::Error(
        "There are no points to start from; give a number of random ones with --init-points.");
  }
  const bool mcmc = settings.strategy == "mcmc";
  const float start_opacity = logit(mcmc ? 0.5F : 0.1F);
  const float scale_factor = mcmc ? 0.1F : 1.0F;
  const std::vector<float> squared = mean_squared_neighbor_distance(positions, pool);
  core::GaussianCloud cloud(settings.sh_degree, static_cast<int64_t>(used.size()));
  for (int64_t i = 0; i < cloud.size(); ++i) {
    cloud.plane(core::kMeanPlane)[i] = positions[i].x;
    cloud.plane(core::kMeanPlane + 1)[i] = positions[i].y;
    cloud.plane(core::kMeanPlane + 2)[i] = positions[i].z;
    const float scale = std::sqrt(std::max(squared[i], kMinSquaredDistance)) * scale_factor;
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] = std::log(scale);
    cloud.plane(core::kQuaternionPlane)[i] = 1;
    cloud.plane(core::kOpacityPlane)[i] = start_opacity;
    for (int c = 0; c < 3; ++c) {
      const double color = used[i]->rgb[c] / 255.0;
      cloud.plane(core::kShPlane + c)[i] = static_cast<float>((color - 0.5) / kShDegree0);
    }
  }
  return cloud;
}

std::vector<core::ColoredPoint> random_points(std::span<const core::PosedCamera> cameras,
                                              int64_t count, uint64_t seed) {
  if (cameras.empty()) throw core::Error("There are no cameras to place random points before.");
  const double extent = scene_extent(cameras);
  const Vec3d focus = common_focus(cameras, extent);
  double half_width = 0;
  for (const core::PosedCamera& camera : cameras) {
    const double distance = length(focus - center_in_world(camera.cam_from_world));
    half_width += distance * std::min(0.5 * camera.camera.width / camera.camera.fx,
                                      0.5 * camera.camera.height / camera.camera.fy);
  }
  half_width /= static_cast<double>(cameras.size());
  const size_t in_front = std::count_if(cameras.begin(), cameras.end(),
                                        [&](const auto& camera) { return sees(camera, focus); });
  // Cameras that look outwards have no common volume: there points are spread along what each sees.
  const bool common = 2 * in_front >= cameras.size() && half_width > 0;

  std::vector<core::ColoredPoint> points;
  points.reserve(count);
  constexpr int kTries = 32;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t id = static_cast<uint64_t>(i);
    Vec3d position = focus;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const math::Random4 bits = random_bits(seed, math::RandomStream::kInit, attempt + 1, id);
      const double u = math::uniform_from_bits(bits.v[0]);
      const double v = math::uniform_from_bits(bits.v[1]);
      const double w = math::uniform_from_bits(bits.v[2]);
      if (common) {
        position = focus + half_width * Vec3d{2 * u - 1, 2 * v - 1, 2 * w - 1};
        const size_t seen = std::count_if(cameras.begin(), cameras.end(),
                                          [&](const auto& c) { return sees(c, position); });
        if (2 * seen >= cameras.size()) break;
      } else {
        const core::PosedCamera& camera = cameras[bits.v[3] % cameras.size()];
        const double depth = extent * (0.5 + 2.5 * w);
        const Vec3d in_camera = {
            depth * (u * camera.camera.width - camera.camera.cx) / camera.camera.fx,
            depth * (v * camera.camera.height - camera.camera.cy) / camera.camera.fy, depth};
        position = transposed_times(camera.cam_from_world.rotation,
                                    in_camera - camera.cam_from_world.translation);
        break;
      }
    }
    points.push_back(random_color(seed, 0, id, position));
  }
  return points;
}

core::GaussianCloud cloud_from_scene(core::GaussianCloud cloud, const TrainSettings& settings) {
  if (cloud.size() == 0) throw core::Error("The scene to start from holds no Gaussians.");
  cloud.parameters.set_plane_count(core::plane_count(settings.sh_degree));
  cloud.sh_degree = settings.sh_degree;
  std::vector<uint64_t> sorted(cloud.ids.begin(), cloud.ids.end());
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    std::iota(cloud.ids.begin(), cloud.ids.end(), uint64_t{0});
  }
  return cloud;
}

int used_sh_degree(const core::GaussianCloud& cloud) {
  for (int p = core::plane_count(cloud.sh_degree) - 1; p >= core::kShPlane + 3; --p) {
    const float* values = cloud.plane(p);
    if (std::all_of(values, values + cloud.size(), [](float v) { return v == 0; })) continue;
    int degree = 1;
    while (p >= core::plane_count(degree)) ++degree;
    return degree;
  }
  return 0;
}

}  // namespace tessera::models
