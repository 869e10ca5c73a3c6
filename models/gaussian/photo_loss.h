// The loss of a render against a photo and its gradient: L1 and SSIM of the colors, with the photo
// laid over the background where it is transparent, and of the depth where the photo has one.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "core/math/vec.h"
#include "core/photo_source.h"
#include "core/pixel_window.h"
#include "core/ssim.h"
#include "core/thread_pool.h"
#include "models/gaussian/settings.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::models {

// (1 - w) l1 + w (1 - ssim) + depth, where w is the settings' SSIM weight.
struct PhotoLossTerms {
  double l1 = 0;
  double ssim = 1;
  double depth = 0;

  double total(double ssim_weight) const {
    return (1.0 - ssim_weight) * l1 + ssim_weight * (1.0 - ssim) + depth;
  }
  PhotoLossTerms& operator+=(const PhotoLossTerms& part) {
    l1 += part.l1;
    ssim += part.ssim;
    depth += part.depth;
    return *this;
  }
  friend bool operator==(const PhotoLossTerms&, const PhotoLossTerms&) = default;
};

class PhotoLoss {
 public:
  PhotoLoss(const TrainSettings& settings, core::ThreadPool& pool)
      : settings_(settings), pool_(pool), comparer_(pool) {}

  // Sets `gradient` (color, and depth if the photo and the settings have it). Pixels under the mask
  // count for nothing. `depth` may be empty where it is not used. Throws core::Error if render and
  // photo differ in size.
  PhotoLossTerms evaluate(const core::ImageF& color, const core::ImageF& depth,
                          const core::Photo& photo, math::Vec3<float> background,
                          render::RenderOutputGradient& gradient);

  // The share of the photo's pixels in `own` of the loss of the whole photo: shares of each term
  // add up. `color` is the render of `around`, which is `own` and core::kSsimReach pixels around it
  // where the photo has them; `depth` and `gradient` are those of `own`. The gradient has the same
  // bits as the whole photo's.
  PhotoLossTerms evaluate_part(const core::ImageF& color, const core::ImageF& depth,
                               const core::PixelWindow& around, const core::PixelWindow& own,
                               const core::Photo& photo, math::Vec3<float> background,
                               render::RenderOutputGradient& gradient);

  bool uses_depth(const core::Photo& photo) const {
    return settings_.depth_weight > 0 && !photo.depth.empty();
  }

 private:
  core::PhotoComparison compare(const core::ImageF& color, const core::Photo& photo,
                                math::Vec3<float> background, const core::ComparedPart* part,
                                core::ImageF& gradient);
  void composite(const core::Image8& photo, math::Vec3<float> background);
  double compare_depth(const core::ImageF& depth, const core::PixelWindow& own,
                       const core::Photo& photo, core::ImageF& gradient);

  const TrainSettings settings_;
  core::ThreadPool& pool_;
  core::PhotoComparer comparer_;
  core::ImageF composited_;
  core::Photo part_;
  core::ImageF gradient_around_;
};

}  // namespace tessera::models
