// SPDX-License-Identifier: MIT
#include "models/multiplane/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/math/rng.h"
#include "models/multiplane/cropped_layers.h"
#include "models/multiplane/sharded/fit_share.h"

namespace tessera::models {
namespace {

using math::Vec3;

constexpr float kClearAlpha = 0.03F;  // below it texels are given up

// Where the corners of all photos lie in the reference picture, from the nearest plane to the
// farthest.
core::PixelWindow window_of_all(std::span<const PosedPhoto> photos,
                                const core::PosedCamera& reference,
                                const InverseDepthRange& range) {
  const core::Camera& camera = reference.camera;
  double left = 0;
  double top = 0;
  double right = camera.width;
  double bottom = camera.height;
  for (const PosedPhoto& photo : photos) {
    const core::Camera& other = photo.camera.camera;
    const core::Rigid world_from_photo = photo.camera.cam_from_world.inverse();
    for (const double depth : {1 / range.nearest, 1 / range.farthest}) {
      for (const double u : {0.0, static_cast<double>(other.width)}) {
        for (const double v : {0.0, static_cast<double>(other.height)}) {
          const Vec3<double> in_photo = {(u - other.cx) / other.fx * depth,
                                         (v - other.cy) / other.fy * depth, depth};
          const Vec3<double> at =
              reference.cam_from_world.rotation *
                  (world_from_photo.rotation * in_photo + world_from_photo.translation) +
              reference.cam_from_world.translation;
          if (!(at.z > 0)) continue;
          left = std::min(left, camera.fx * at.x / at.z + camera.cx);
          right = std::max(right, camera.fx * at.x / at.z + camera.cx);
          top = std::min(top, camera.fy * at.y / at.z + camera.cy);
          bottom = std::max(bottom, camera.fy * at.y / at.z + camera.cy);
        }
      }
    }
  }
  constexpr double kMostBeyond = 1.0 / 3;
  const auto within = [](double value, double least, double most) {
    return static_cast<int>(std::lround(std::clamp(value, least, most)));
  };
  core::PixelWindow window;
  window.left = within(std::floor(left), -kMostBeyond * camera.width, 0);
  window.top = within(std::floor(top), -kMostBeyond * camera.height, 0);
  window.width =
      within(std::ceil(right), camera.width, (1 + kMostBeyond) * camera.width) - window.left;
  window.height =
      within(std::ceil(bottom), camera.height, (1 + kMostBeyond) * camera.height) - window.top;
  return window;
}

InverseDepthRange range_of(std::span<const PosedPhoto> photos, const core::PosedCamera& reference,
                           const FitSettings& settings, core::ThreadPool& pool) {
  InverseDepthRange range;
  if (!(settings.nearest > 0 && settings.farthest > 0)) {
    range = swept_range(photos, reference, pool);
  }
  if (settings.nearest > 0) range.nearest = 1 / settings.nearest;
  if (settings.farthest > 0) range.farthest = 1 / settings.farthest;
  if (!(range.nearest > range.farthest)) {
    throw core::Error("The nearest plane must be nearer than the farthest.");
  }
  return range;
}

// Layers must cover what photos show: before a color that changes no gap can pass for a dark
// surface.
Vec3<float> random_color(int step, size_t photo) {
  const math::Random4 bits =
      math::random_bits(0, math::RandomStream::kBackground, static_cast<uint32_t>(step), photo);
  return {math::uniform_from_bits(bits.v[0]), math::uniform_from_bits(bits.v[1]),
          math::uniform_from_bits(bits.v[2])};
}

}  // namespace

int reference_photo(std::span<const PosedPhoto> photos) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < photos.size(); ++i) {
    double sum = 0;
    for (const PosedPhoto& other : photos) {
      const Vec3<double> between = core::center_in_world(photos[i].camera.cam_from_world) -
                                   core::center_in_world(other.camera.cam_from_world);
      sum += std::sqrt(dot(between, between));
    }
    if (sum >= least) continue;
    least = sum;
    best = static_cast<int>(i);
  }
  return best;
}

core::MultiplaneImage fit_multiplane(std::span<const PosedPhoto> photos,
                                     const FitSettings& settings, distributed::Communicator& ranks,
                                     core::ThreadPool& pool, const FitProgress& progress) {
  if (photos.size() < 2) throw core::Error("A multiplane image is fitted to at least two photos.");
  const core::PosedCamera& reference = photos[reference_photo(photos)].camera;
  const InverseDepthRange range = range_of(photos, reference, settings, pool);
  core::PixelWindow window = window_of_all(photos, reference, range);
  const RowRange all = {window.top, window.bottom()};
  const std::vector<SharedPhoto> shared =
      shared_photos(photos, reference, planes_between(range, settings.planes, window), all, ranks);
  const RowRange held = held_rows(shared, all, kSweptMargin, ranks.rank(), ranks.size());
  window.top = held.begin;
  window.height = held.count();
  FitShare share(swept_multiplane(photos, reference, window, range, settings.planes, pool), all,
                 held, ranks, pool);
  for (int step = 0; step < settings.steps; ++step) {
    const float rate = settings.rate * std::pow(0.1F, static_cast<float>(step) /
                                                          static_cast<float>(settings.steps));
    FitLoss sum;
    for (size_t i = 0; i < shared.size(); ++i) {
      const FitLoss loss = share.step(shared[i], random_color(step, i), settings.ssim_weight,
                                      settings.smoothness, rate);
      sum.l1 += loss.l1;
      sum.ssim += loss.ssim;
    }
    if (step + 1 == settings.steps / 2 || step + 1 == 3 * settings.steps / 4) {
      share.clear_below(kClearAlpha);
    }
    double sums[] = {sum.l1, sum.ssim};
    ranks.all_reduce("loss", distributed::Reduction::kSum, std::span<double>(sums));
    const auto count = static_cast<double>(shared.size());
    const double loss = (1.0 - settings.ssim_weight) * sums[0] / count +
                        settings.ssim_weight * (1.0 - sums[1] / count);
    const int64_t stop = progress(step + 1, loss) ? 0 : 1;
    if (ranks.all_reduce("stop", distributed::Reduction::kMax, stop) > 0) break;
  }
  const core::MultiplaneImageF whole = share.whole();
  return cropped_layers(whole);
}

}  // namespace tessera::models
