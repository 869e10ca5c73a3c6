// SPDX-License-Identifier: MIT
#include "models/gaussian/photo_loss.h"

#include <fmt/format.h>

#include <algorithm>
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
  const core::ComparedPart all = {color.window(), core::counts_of(photo).pixels};
  const core::PhotoComparison comparison = compare(color, photo, background, &all, gradient.color);
  terms.l1 = comparison.l1;
  terms.ssim = comparison.ssim;
  terms.depth = compare_depth(depth, color.window(), photo, gradient.depth);
  return terms;
}

PhotoLossTerms PhotoLoss::evaluate_part(const core::ImageF& color, const core::ImageF& depth,
                                        const core::PixelWindow& around,
                                        const core::PixelWindow& own, const core::Photo& photo,
                                        math::Vec3<float> background,
                                        render::RenderOutputGradient& gradient) {
  core::crop(photo.pixels, around, part_.pixels);
  part_.mask = {};
  if (!photo.mask.empty()) core::crop(photo.mask, around, part_.mask);
  const core::ComparedPart part = {
      {own.left - around.left, own.top - around.top, own.width, own.height},
      core::counts_of(photo).pixels};
  const core::PhotoComparison comparison =
      compare(color, part_, background, &part, gradient_around_);
  core::crop(gradient_around_, part.own, gradient.color);
  PhotoLossTerms terms;
  terms.l1 = comparison.l1;
  terms.ssim = comparison.ssim;
  // Where nothing counts the whole photo's SSIM is 1: one part has it.
  if (part.counted_pixels == 0 && (own.left > 0 || own.top > 0)) terms.ssim = 0;
  terms.depth = compare_depth(depth, own, photo, gradient.depth);
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

// The share of `own` of the mean over the photo's pixels with a known depth of |1/render -
// 1/photo|, times the weight. Where the render has no depth there is nothing to move, so it adds
// nothing.
double PhotoLoss::compare_depth(const core::ImageF& depth, const core::PixelWindow& own,
                                const core::Photo& photo, core::ImageF& gradient) {
  if (!uses_depth(photo)) {
    gradient = {};
    return 0;
  }
  if (photo.depth.width != photo.pixels.width || photo.depth.height != photo.pixels.height) {
    throw core::Error(fmt::format("The depth map has {}x{} pixels where the photo has {}x{}.",
                                  photo.depth.width, photo.depth.height, photo.pixels.width,
                                  photo.pixels.height));
  }
  const int64_t known = std::max<int64_t>(core::counts_of(photo).depths, 1);
  const float weight = settings_.depth_weight / static_cast<float>(known);
  gradient.resize(own.width, own.height, 1);
  double sum = 0;
  for (int y = 0; y < own.height; ++y) {
    const int64_t in_photo = int64_t{own.top + y} * photo.depth.width + own.left;
    for (int x = 0; x < own.width; ++x) {
      const float rendered = depth.at(x, y);
      float& change = gradient.at(x, y);
      change = 0;
      if (!(rendered > 0) || !core::is_depth_known(photo, in_photo + x)) continue;
      const float inverse = 1 / rendered;
      const float difference = inverse - 1 / photo.depth.data[in_photo + x];
      sum += std::fabs(difference);
      change = difference > 0 ? -weight * inverse * inverse : weight * inverse * inverse;
    }
  }
  return double{weight} * sum;
}

}  // namespace tessera::models
