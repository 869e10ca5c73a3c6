// The colors that layers have where nearer ones hide them.
//
// They come from the photo over the whole picture, not the tile, so that tiles agree: by pull-push
// from pixels at the layer's disparity, less from those farther away, never from nearer ones.
// Pixels beside a nearer surface are no source, as they have some of its color.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/image.h"
#include "core/thread_pool.h"
#include "models/multiplane/disparity_map.h"
#include "models/multiplane/pull_push.h"

namespace tessera::models {

class HiddenColors {
 public:
  HiddenColors(const core::Image8& photo, const DisparityMap& map, core::ThreadPool& pool);

  // Disparities are taken in steps; `look_behind` makes the colors of one step.
  int step_count() const { return step_count_; }
  int step_of(float disparity) const;
  void look_behind(int step);
  // Of the pixel of the photo, sRGB 0..255.
  void color(int x, int y, uint8_t* rgb) const;

 private:
  const core::Image8& photo_;
  core::ImageF sources_;  // disparity; infinite where the color is mixed
  float least_ = 0;
  float step_ = 0;
  int step_count_ = 0;
  core::ThreadPool& pool_;
  PullPush pull_push_;
  core::ImageF colors_;  // at half the photo's size
};

}  // namespace tessera::models
