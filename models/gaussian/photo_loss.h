// The loss of a render against a photo and its gradient: L1 and SSIM of the colors, with the photo
// laid over the background where it is transparent, and of the depth where the photo has one.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "core/math/vec.h"
#include "core/photo_source.h"
#include "core/ssim.h"
#include "core/thread_pool.h"
#include "models/gaussian/settings.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::models {

class PhotoLoss {
 public:
  PhotoLoss(const TrainSettings& settings, core::ThreadPool& pool)
      : settings_(settings), pool_(pool), comparer_(pool) {}

  // Sets `gradient` (color, and depth if the photo and the settings have it). Pixels under the mask
  // count for nothing. `depth` may
  // be empty where it is not used. Throws core::Error if render and photo differ in size.
  double evaluate(const core::ImageF& color, const core::ImageF& depth, const core::Photo& photo,
                  math::Vec3<float> background, render::RenderOutputGradient& gradient);

  bool uses_depth(const core::Photo& photo) const {
    return settings_.depth_weight > 0 && !photo.depth.empty();
  }

 private:
  void composite(const core::Image8& photo, math::Vec3<float> background);
  double add_depth(const core::ImageF& depth, const core::Photo& photo, core::ImageF& gradient);

  const TrainSettings settings_;
  core::ThreadPool& pool_;
  core::PhotoComparer comparer_;
  core::ImageF composited_;
};

}  // namespace tessera::models
