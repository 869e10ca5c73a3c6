// SPDX-License-Identifier: MIT
#include "models/gaussian/photo_loss.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace tessera::models {
namespace {

constexpr int64_t kRowGrain = 16;

}  // namespace

PhotoLossTerms PhotoLoss::evaluate(const core::ImageF& color, const core::ImageF& depth,
                                   const core::Photo& photo, math::Vec3<float> background,
                                   render::RenderOutputGradient& gradient) {
  PhotoLossTerms terms;
  const core::PhotoComparison comparison =
      compare(color, photo, background, nullptr, gradient.color);
  terms.l1 = comparison.l1;
  terms.ssim = comparison.ssim;
  if (uses_depth(photo)) {
    terms.depth = add_depth(depth, photo, gradient.depth);
  } else {
    gradient.depth = {};
  }
  return terms;
}

PhotoLossTerms PhotoLoss::evaluate_part(const core::ImageF& color, const core::PixelWindow& around,
                                        const core::PixelWindow& own, const core::Photo& photo,
                                        math::Vec3<float> background, core::ImageF& gradient) {
  core::crop(photo.pixels, around, part_.pixels);
  part_.mask = {};
  if (!photo.mask.empty()) core::crop(photo.mask, around, part_.mask);
  const core::ComparedPart part = {
      {own.left - around.left, own.top - around.top, own.width, own.height},
      core::counted_pixels(photo.pixels.width, photo.pixels.height, photo.mask)};
  const core::PhotoComparison comparison =
      compare(color, part_, background, &part, gradient_around_);
  core::crop(gradient_around_, part.own, gradient);
  PhotoLossTerms terms;
  terms.l1 = comparison.l1;
  terms.ssim = comparison.ssim;
  // Where nothing counts the whole photo's SSIM is 1: one part has it.
  if (part.counted_pixels == 0 && (own.left > 0 || own.top > 0)) terms.ssim = 0;
  return terms;
}

core::PhotoComparison PhotoLoss::compare(const core::ImageF& color, const core::Photo& photo,
                                         math::Vec3<float> background,
                                         const core::ComparedPart* part, core::ImageF& gradient) {
  const float weight = settings_.ssim_weight;
  if (photo.pixels.channels != 4) {
    return comparer_.compare(color, photo.pixels, photo.mask, part, weight, gradient);
  }
  composite(photo.pixels, background);
  return comparer_.compare(color, composited_, photo.mask, part, weight, gradient);
}

void PhotoLoss::composite(const core::Image8& photo, math::Vec3<float> background) {
  composited_.resize(photo.width, photo.height, 3);
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
  gradient.resize(depth.width, depth.height, 1);
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
