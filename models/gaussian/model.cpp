// SPDX-License-Identifier: MIT
#include "models/gaussian/model.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/neighbors.h"
#include "models/gaussian/schedule.h"

namespace tessera::models {
namespace {

using Vec3d = math::Vec3<double>;

constexpr double kShDegree0 = 0.28209479177387814;  // Y_00
constexpr float kMinSquaredDistance = 1e-7F;        // coincident points still get a size
constexpr int kSpacingNeighbors = 3;                // whose distance gives a point its size

float logit(float opacity) {
  return std::log(opacity / (1 - opacity));
}

double length(Vec3d v) {
  return std::sqrt(dot(v, v));
}

}  // namespace

math::Vec3<double> cameras_center(std::span<const core::PosedCamera> cameras) {
  Vec3d sum = {0, 0, 0};
  for (const core::PosedCamera& camera : cameras) {
    sum = sum + center_in_world(camera.cam_from_world);
  }
  return sum * (1.0 / static_cast<double>(std::max<size_t>(cameras.size(), 1)));
}

double scene_extent(std::span<const core::PosedCamera> cameras) {
  const Vec3d mean = cameras_center(cameras);
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
  const double share =
      std::min(1.0, static_cast<double>(settings.iterations) / kStandardIterations);
  const auto in_large_captures =
      static_cast<int64_t>(kGaussiansPerRootPixel * std::sqrt(static_cast<double>(pixels)) * share);
  return std::max(start_size, std::min(pixels / kPixelsPerGaussian,
                                       std::max(in_large_captures, kGaussiansOfShortRuns)));
}

core::GaussianCloud cloud_from_points(std::span<const core::ColoredPoint> points,
                                      const TrainSettings& settings, core::ThreadPool& pool,
                                      Share share, float spread) {
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
  const float scale_factor = spread * (mcmc ? 0.1F : 1.0F);
  const std::vector<float> squared =
      core::mean_squared_neighbor_distance(positions, kSpacingNeighbors, pool);
  const IndexRange made = share_of(static_cast<int64_t>(used.size()), share);
  core::GaussianCloud cloud(settings.sh_degree, made.end - made.begin);
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const int64_t point = made.begin + i;
    cloud.ids[i] = static_cast<uint64_t>(point);
    cloud.plane(core::kMeanPlane)[i] = positions[point].x;
    cloud.plane(core::kMeanPlane + 1)[i] = positions[point].y;
    cloud.plane(core::kMeanPlane + 2)[i] = positions[point].z;
    const float scale = std::sqrt(std::max(squared[point], kMinSquaredDistance)) * scale_factor;
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] = std::log(scale);
    cloud.plane(core::kQuaternionPlane)[i] = 1;
    cloud.plane(core::kOpacityPlane)[i] = start_opacity;
    for (int c = 0; c < 3; ++c) {
      const double color = used[point]->rgb[c] / 255.0;
      cloud.plane(core::kShPlane + c)[i] = static_cast<float>((color - 0.5) / kShDegree0);
    }
  }
  return cloud;
}

void limit_scales(core::GaussianCloud& cloud, std::span<const float> largest) {
  for (int a = 0; a < 3; ++a) {
    float* log_scale = cloud.plane(core::kLogScalePlane + a);
    for (int64_t i = 0; i < cloud.size(); ++i) {
      log_scale[i] = std::min(log_scale[i], std::log(largest[i]));
    }
  }
}

core::GaussianCloud cloud_from_scene(const core::GaussianCloud& scene,
                                     std::span<const int64_t> places,
                                     const TrainSettings& settings) {
  if (scene.size() == 0) throw core::Error("The scene to start from holds no Gaussians.");
  core::GaussianCloud cloud(settings.sh_degree, static_cast<int64_t>(places.size()));
  for (int64_t i = 0; i < cloud.size(); ++i) cloud.ids[i] = scene.ids[places[i]];
  const int planes = std::min(cloud.parameters.plane_count(), scene.parameters.plane_count());
  for (int p = 0; p < planes; ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) cloud.plane(p)[i] = scene.plane(p)[places[i]];
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
