// SPDX-License-Identifier: MIT
#include "models/multiplane/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/math/rng.h"
#include "core/ssim.h"
#include "models/multiplane/cropped_layers.h"
#include "models/multiplane/texel_optimizer.h"
#include "render/multiplane/multiplane_renderer.h"

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

// Adds the gradient of weight * sum |a - a of the texel to the right and below| to texels' alpha.
void add_smoothness(const core::MultiplaneImageF& image, float weight,
                    std::vector<core::ImageF>& gradient, core::ThreadPool& pool) {
  const auto sign = [](float value) { return value > 0 ? 1.0F : value < 0 ? -1.0F : 0.0F; };
  pool.parallel_for(static_cast<int64_t>(image.layers.size()), 1,
                    [&](int64_t begin, int64_t end, int) {
                      for (int64_t i = begin; i < end; ++i) {
                        const core::MultiplaneLayer& layer = image.layers[i];
                        const core::ImageF& page = image.pages[layer.page];
                        core::ImageF& to = gradient[layer.page];
                        for (int y = layer.y; y < layer.y + layer.window.height; ++y) {
                          for (int x = layer.x; x < layer.x + layer.window.width; ++x) {
                            const float here = page.at(x, y, 3);
                            if (x + 1 < layer.x + layer.window.width) {
                              const float along = weight * sign(here - page.at(x + 1, y, 3));
                              to.at(x, y, 3) += along;
                              to.at(x + 1, y, 3) -= along;
                            }
                            if (y + 1 < layer.y + layer.window.height) {
                              const float down = weight * sign(here - page.at(x, y + 1, 3));
                              to.at(x, y, 3) += down;
                              to.at(x, y + 1, 3) -= down;
                            }
                          }
                        }
                      }
                    });
}

// Layers must cover what photos show: before a color that changes no gap can pass for a dark
// surface.
render::MultiplaneOptions before_random_color(int step, size_t photo) {
  const math::Random4 bits =
      math::random_bits(0, math::RandomStream::kBackground, static_cast<uint32_t>(step), photo);
  render::MultiplaneOptions options;
  options.background = {math::uniform_from_bits(bits.v[0]), math::uniform_from_bits(bits.v[1]),
                        math::uniform_from_bits(bits.v[2])};
  return options;
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
                                     const FitSettings& settings, core::ThreadPool& pool,
                                     const FitProgress& progress) {
  if (photos.size() < 2) throw core::Error("A multiplane image is fitted to at least two photos.");
  const core::PosedCamera& reference = photos[reference_photo(photos)].camera;
  const InverseDepthRange range = range_of(photos, reference, settings, pool);
  core::MultiplaneImageF image = swept_multiplane(
      photos, reference, window_of_all(photos, reference, range), range, settings.planes, pool);

  const std::unique_ptr<render::MultiplaneRenderer> renderer =
      render::make_multiplane_renderer("cpu", pool);
  core::PhotoComparer comparer(pool);
  TexelOptimizer optimizer(image);
  render::MultiplaneGradient gradient = render::zero_gradient(image);
  render::MultiplaneOutput output;
  render::MultiplaneOutputGradient output_gradient;
  for (int step = 0; step < settings.steps; ++step) {
    const float rate = settings.rate * std::pow(0.1F, static_cast<float>(step) /
                                                          static_cast<float>(settings.steps));
    double loss = 0;
    for (size_t i = 0; i < photos.size(); ++i) {
      const PosedPhoto& photo = photos[i];
      renderer->forward(image, photo.camera, before_random_color(step, i), output);
      loss += comparer
                  .compare(output.color, photo.pixels, photo.mask, settings.ssim_weight,
                           output_gradient.color)
                  .loss(settings.ssim_weight);
      renderer->backward(image, output_gradient, gradient);
      const auto values = static_cast<float>(3 * photo.pixels.pixel_count());
      if (settings.smoothness > 0) {
        add_smoothness(image, settings.smoothness / values, gradient.pages, pool);
      }
      optimizer.step(rate, gradient.pages, image, pool);
    }
    if (step + 1 == settings.steps / 2 || step + 1 == 3 * settings.steps / 4) {
      optimizer.clear_below(kClearAlpha, image, pool);
    }
    if (!progress(step + 1, loss / static_cast<double>(photos.size()))) break;
  }
  return cropped_layers(image);
}

}  // namespace tessera::models
