// SPDX-License-Identifier: MIT
#include "apps/commands/reconstruct_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "apps/commands/progress.h"
#include "assets/io.h"
#include "core/error.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/model.h"
#include "models/gaussian/random_start.h"
#include "models/gaussian/sweep_start.h"

namespace tessera::apps {
namespace {

StartCloud from_file(const ReconstructOptions& options, const core::Capture& capture,
                     core::ThreadPool& pool) {
  const std::filesystem::path& path = options.init_ply;
  if (!std::filesystem::exists(path)) {
    throw core::IoError(path, "the start cloud that --init-ply names does not exist");
  }
  assets::SceneFile file = assets::read_scene_or_points(path);
  StartCloud start;
  const math::Vec3<double> origin = capture.origin_in_file;
  if (auto* scene = std::get_if<core::GaussianScene>(&file)) {
    const double shift[3] = {scene->origin_in_file[0] - origin.x,
                             scene->origin_in_file[1] - origin.y,
                             scene->origin_in_file[2] - origin.z};
    for (int axis = 0; axis < 3; ++axis) {
      float* mean = scene->cloud.plane(core::kMeanPlane + axis);
      for (int64_t i = 0; i < scene->cloud.size(); ++i) {
        mean[i] = static_cast<float>(mean[i] + shift[axis]);
      }
    }
    start.cloud = models::cloud_from_scene(std::move(scene->cloud), options.train);
    start.text = fmt::format("{} Gaussians of {}", count_text(start.cloud.size()), path.string());
    return start;
  }
  auto& cloud = std::get<assets::PointCloud>(file);
  for (core::ColoredPoint& point : cloud.points) point.position = point.position - origin;
  start.cloud = models::cloud_from_points(cloud.points, options.train, pool);
  start.text = fmt::format("{} points of {}", count_text(start.cloud.size()), path.string());
  return start;
}

}  // namespace

StartCloud read_start_cloud(const ReconstructOptions& options, const core::Capture& capture,
                            int64_t default_points, core::ThreadPool& pool) {
  if (!options.init_ply.empty()) return from_file(options, capture, pool);
  StartCloud start;
  if (options.train.init_points > 0) {
    start.points_from_photos = options.train.init_points;
    start.at_random = true;
    return start;
  }
  if (capture.points.empty()) {
    start.points_from_photos = default_points;
    return start;
  }
  start.cloud = models::cloud_from_points(capture.points, options.train, pool);
  start.text = fmt::format("{} points", count_text(start.cloud.size()));
  return start;
}

void add_points_from_photos(StartCloud& start, const models::TrainSettings& settings,
                            core::PhotoSource& photos, const std::vector<int>& views,
                            core::ThreadPool& pool) {
  const int64_t wanted = start.points_from_photos;
  if (!start.at_random) {
    const models::SweptPoints swept =
        models::swept_points(photos, views, wanted, settings.seed, pool);
    const auto found = static_cast<int64_t>(swept.points.size());
    if (found >= wanted / 4) {
      start.cloud = models::cloud_from_points(swept.points, settings, pool);
      models::limit_scales(start.cloud, swept.spacing);
      start.text = fmt::format("{} points found by comparing photos (the capture has none)",
                               count_text(found));
      return;
    }
  }
  const std::vector<core::ColoredPoint> points =
      models::random_points(photos, views, wanted, settings.seed);
  start.cloud = models::cloud_from_points(points, settings, pool, models::kRandomPointSpread);
  start.text = fmt::format("{} random points{}", count_text(start.cloud.size()),
                           start.at_random ? ""
                                           : " (the capture has none, and too little is in more "
                                             "than one of its photos to find any)");
}

models::TrainSettings resumed_settings(const std::filesystem::path& checkpoint,
                                       int64_t iterations) {
  models::TrainSettings settings = models::read_checkpoint_settings(checkpoint);
  const std::string name = checkpoint.filename().string();  // checkpoint_N
  const int64_t done = std::stoll(name.substr(name.find('_') + 1));
  if (iterations <= done) {
    throw core::UsageError(
        "--resume", fmt::format("the run has done {} steps of {}; to go on give a larger total, "
                                "such as -n {}",
                                done, iterations, 2 * done));
  }
  settings.iterations = iterations;
  return settings;
}

int64_t largest_picture(const core::Capture& capture, const std::vector<int>& views,
                        const ReconstructOptions& options) {
  double largest = 0;
  for (const int view : views) {
    const core::Camera& camera = capture.views[view].camera;
    double scale = options.resolution <= 8 ? 1.0 / options.resolution
                                           : static_cast<double>(options.resolution) / camera.width;
    if (options.max_resolution > 0) {
      const double side = std::max(camera.width, camera.height);
      scale = std::min(scale, options.max_resolution / side);
    }
    scale = std::min(scale, 1.0);
    largest = std::max(largest, scale * scale * camera.width * camera.height);
  }
  return static_cast<int64_t>(std::ceil(largest));
}

}  // namespace tessera::apps
