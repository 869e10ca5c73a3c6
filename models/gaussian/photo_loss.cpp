// SPDX-License-Identifier: MIT
#include "models/gaussian/photo_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace tessera::models {
namespace {

constexpr int64_t kRowGrain = 16;

void set_size(core::ImageF& image, int width, int height, int channels) {
  image.width = width;
  image.height = height;
  image.channels = channels;
  image.data.resize(int64_t{width} * height * channels);
}

}  // namespace

double PhotoLoss::evaluate(const core::ImageF& color, const core::ImageF& depth,
                           const core::Photo& photo, math::Vec3<float> background,
                           render::RenderOutputGradient& gradient) {
  core::PhotoComparison comparison;
  if (photo.pixels.channels == 4) {
    composite(photo.pixels, background);
    comparison =
        comparer_.compare(color, composited_, photo.mask, settings_.ssim_weight, gradient.color);
  } else {
    comparison =
        comparer_.compare(color, photo.pixels, photo.mask, settings_.ssim_weight, gradient.color);
  }
  double loss = comparison.loss(settings_.ssim_weight);
  if (uses_depth(photo)) {
    loss += add_depth(depth, photo, gradient.depth);
  } else {
    gradient.depth = {};
  }
  return loss;
}

void PhotoLoss::composite(const core::Image8& photo, math::Vec3<float> background) {
  set_size(composited_, photo.width, photo.height, 3);
  const float behind[3] = {background.x, background.y, background.z};
  pool_.parallel_for(photo.height, kRowGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    constexpr float kUnit = 1.0F / 255.0F;
    for (int64_t y = begin; y < end; ++y) {
      const uint8_t* from = photo.row(static_cast<int>(y));
      float* to = composited_.row(static_cast<int>(y));
      for (int x = 0; x < photo.width; ++x) {
        const float alpha = static_cast<float>(from[4 * x + 3]) * kUnit;
        for (int c = 0; c < 3; ++c) {
          const float color = static_cast<float>(from[4 * x + c]) * kUnit;
          to[3 * x + c] = alpha * color + (1 - alpha) * behind[c];
        }
      }
    }
  });
}

// The mean over pixels with a known depth of |1/render - 1/photo|, times the weight.
double PhotoLoss::add_depth(const core::ImageF& depth, const core::Photo& photo,
                            core::ImageF& gradient) {
  if (photo.depth.width != depth.width || photo.depth.height != depth.height) {
    throw core::Error(fmt::format("The depth map has {}x{} pixels where the photo has {}x{}.",
                                  photo.depth.width, photo.depth.height, depth.width,
                                  depth.height));
  }
  set_size(gradient, depth.width, depth.height, 1);
  const auto counts = [&](int64_t i) {
    return photo.depth.data[i] > 0 && depth.data[i] > 0 &&
           (photo.mask.empty() || photo.mask.data[i] >= core::kMaskThreshold);
  };
  int64_t counted = 0;
  for (int64_t i = 0; i < depth.pixel_count(); ++i) counted += counts(i) ? 1 : 0;
  const float weight = settings_.depth_weight / static_cast<float>(std::max<int64_t>(counted, 1));
  double sum = 0;
  for (int64_t i = 0; i < depth.pixel_count(); ++i) {
    gradient.data[i] = 0;
    if (!counts(i)) continue;
    const float inverse = 1 / depth.data[i];
    const float difference = inverse - 1 / photo.depth.data[i];
    sum += std::fabs(difference);
    gradient.data[i] = difference > 0 ? -weight * inverse * inverse : weight * inverse * inverse;
  }
  return double{weight} * sum;
}

}  // namespace tessera::models
