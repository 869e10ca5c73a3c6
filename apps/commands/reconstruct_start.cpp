// SPDX-License-Identifier: MIT
#include "apps/commands/reconstruct_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "apps/commands/progress.h"
#include "apps/commands/scene_share.h"
#include "assets/io.h"
#include "core/error.h"
#include "core/evenly_spread.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/model.h"
#include "models/gaussian/random_start.h"
#include "models/gaussian/sweep_start.h"

namespace tessera::apps {
namespace {

// How many of `all` are kept: `limit` at most, unless it is 0.
int64_t kept(int64_t all, int64_t limit) {
  return limit > 0 ? std::min(all, limit) : all;
}

std::string kept_text(int64_t all, const std::string& what, int64_t limit) {
  std::string text = fmt::format("{} {}", count_text(all), what);
  if (kept(all, limit) == all) return text;
  return fmt::format("{}, of which --max-gaussians keeps {}", text, count_text(limit));
}

models::Share share_of_rank(const distributed::Communicator& ranks) {
  return {ranks.rank(), ranks.size()};
}

void set_cloud(StartCloud& start, core::GaussianCloud&& cloud, distributed::Communicator& ranks) {
  start.cloud = std::move(cloud);
  start.gaussians = ranks.all_reduce("start", distributed::Reduction::kSum, start.cloud.size());
}

// `what` they are, for the text: "points".
StartCloud from_points(const std::vector<core::ColoredPoint>& points, const std::string& what,
                       const models::TrainSettings& settings, distributed::Communicator& ranks,
                       core::ThreadPool& pool) {
  const auto all = static_cast<int64_t>(points.size());
  const int64_t limit = settings.max_gaussians;
  const bool limited = kept(all, limit) < all;
  // Before they become Gaussians, whose sizes follow from how far apart the points are.
  std::vector<core::ColoredPoint> some;
  if (limited) some = core::evenly_spread(points, limit);
  StartCloud start;
  set_cloud(
      start,
      models::cloud_from_points(limited ? some : points, settings, pool, share_of_rank(ranks)),
      ranks);
  start.text = kept_text(limited ? all : start.gaussians, what, limit);
  return start;
}

StartCloud from_scene(assets::SceneReader& scene, const core::Capture& capture,
                      const ReconstructOptions& options, distributed::Communicator& ranks) {
  SceneShare share = read_scene_share(scene, capture.origin_in_file, options.train, ranks);
  StartCloud start;
  set_cloud(start, std::move(share.cloud), ranks);
  start.text = kept_text(share.gaussians, "Gaussians of " + options.init_ply.string(),
                         options.train.max_gaussians);
  return start;
}

// Points, or a scene to be read in pieces.
using StartFile = std::variant<assets::PointCloud, std::unique_ptr<assets::SceneReader>>;

StartFile open_start_file(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw core::IoError(path, "the file to take Gaussians or points from does not exist");
  }
  if (std::unique_ptr<assets::SceneReader> scene = assets::open_scene(path)) return scene;
  assets::SceneFile file = assets::read_scene_or_points(path);
  if (auto* points = std::get_if<assets::PointCloud>(&file)) return std::move(*points);
  return assets::pieces_of(std::get<core::GaussianScene>(std::move(file)));
}

StartCloud from_file(const ReconstructOptions& options, const core::Capture& capture,
                     distributed::Communicator& ranks, core::ThreadPool& pool) {
  const std::filesystem::path& path = options.init_ply;
  StartFile file;
  // What is wrong with it is told by the first rank, before the others look.
  if (ranks.rank() == 0) file = open_start_file(path);
  ranks.barrier("start");
  if (ranks.rank() != 0) file = open_start_file(path);
  if (const auto* scene = std::get_if<std::unique_ptr<assets::SceneReader>>(&file)) {
    return from_scene(**scene, capture, options, ranks);
  }
  auto& cloud = std::get<assets::PointCloud>(file);
  for (core::ColoredPoint& point : cloud.points) {
    point.position = point.position - capture.origin_in_file;
  }
  return from_points(cloud.points, "points of " + path.string(), options.train, ranks, pool);
}

}  // namespace

StartCloud read_start_cloud(const ReconstructOptions& options, const core::Capture& capture,
                            int64_t default_points, distributed::Communicator& ranks,
                            core::ThreadPool& pool) {
  if (!options.init_ply.empty()) return from_file(options, capture, ranks, pool);
  const int64_t limit = options.train.max_gaussians;
  StartCloud start;
  if (options.train.init_points > 0) {
    start.points_from_photos = kept(options.train.init_points, limit);
    start.at_random = true;
    if (start.points_from_photos < options.train.init_points) {
      start.limit = ", as many as --max-gaussians allows";
    }
    return start;
  }
  if (capture.points.empty()) {
    start.points_from_photos = kept(default_points, limit);
    return start;
  }
  return from_points(capture.points, "points", options.train, ranks, pool);
}

void say_default_limit(StartCloud& start, const models::TrainSettings& settings,
                       std::span<const core::PosedCamera> cameras) {
  if (settings.max_gaussians > 0) return;
  const int64_t limit = models::gaussian_budget(settings, cameras, 0);
  if (std::max(start.gaussians, start.points_from_photos) < limit) return;
  start.limit = fmt::format(
      ", and no more than that later: the default limit is {} (--max-gaussians N sets another)",
      settings.strategy == "mcmc"
          ? count_text(limit)
          : fmt::format("at most one per {} pixels of the photos", models::kPixelsPerGaussian));
}

void add_points_from_photos(StartCloud& start, const models::TrainSettings& settings,
                            core::PhotoSource& photos, const std::vector<int>& views,
                            distributed::Communicator& ranks, core::ThreadPool& pool) {
  const models::Share share = share_of_rank(ranks);
  const int64_t wanted = start.points_from_photos;
  if (!start.at_random) {
    const models::SweptPoints swept =
        models::swept_points(photos, views, wanted, settings.seed, ranks, pool);
    const auto found = static_cast<int64_t>(swept.points.size());
    if (found >= wanted / 4) {
      core::GaussianCloud cloud = models::cloud_from_points(swept.points, settings, pool, share);
      models::limit_scales(cloud,
                           std::span(swept.spacing).subspan(models::share_of(found, share).begin));
      set_cloud(start, std::move(cloud), ranks);
      start.text = fmt::format("{} found by comparing photos (the capture has none)",
                               plural(found, "point"));
      return;
    }
  }
  const std::vector<core::ColoredPoint> points =
      models::random_points(photos, views, wanted, settings.seed);
  set_cloud(start,
            models::cloud_from_points(points, settings, pool, share, models::kRandomPointSpread),
            ranks);
  start.text = fmt::format("{} random points{}", count_text(start.gaussians),
                           start.at_random ? ""
                                           : " (the capture has none, and too little is in more "
                                             "than one of its photos to find any)");
}

models::TrainSettings resumed_settings(const std::filesystem::path& checkpoint,
                                       int64_t iterations) {
  models::TrainSettings settings = models::read_checkpoint_settings(checkpoint);
  const int64_t done = models::checkpoint_step(checkpoint);
  if (iterations <= done) {
    throw core::UsageError(
        "--resume", fmt::format("the run has done {} steps, and its total is to be {}; to go on "
                                "give a larger total, such as -n {}",
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
    double scale = options.photos.resolution <= 8
                       ? 1.0 / options.photos.resolution
                       : static_cast<double>(options.photos.resolution) / camera.width;
    if (options.photos.max_resolution > 0) {
      const double side = std::max(camera.width, camera.height);
      scale = std::min(scale, options.photos.max_resolution / side);
    }
    scale = std::min(scale, 1.0);
    largest = std::max(largest, scale * scale * camera.width * camera.height);
  }
  return static_cast<int64_t>(std::ceil(largest));
}

}  // namespace tessera::apps
