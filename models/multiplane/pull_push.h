// Fills gaps in pictures smoothly from what is around them, by a pyramid.
//
// Gortler, Grzeszczuk, Szeliski and Cohen, "The Lumigraph", 1996: pull averages what is known to
// coarser levels; push fills what is not known from the level below, interpolated.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/image.h"
#include "core/thread_pool.h"

namespace tessera::models {

class PullPush {
 public:
  explicit PullPush(core::ThreadPool& pool) : pool_(pool) {}

  // `picture` [height][width][4]: color times weight, weight in [0, 1]. Afterwards the weight is 1
  // everywhere, if it was above zero anywhere, and colors of weight 1 are as they were.
  void fill(core::ImageF& picture);

 private:
  core::ThreadPool& pool_;
  std::vector<core::ImageF> levels_;  // kept for the next picture
};

// Between the four nearest pixels' centers, x and y from the picture's corner; at its borders the
// nearest pixel. Adds `factor` times the 4 channels to `to`.
inline void add_bilinear(const core::ImageF& picture, float x, float y, float factor, float* to) {
  const auto place = [](float at, int count, int& low, int& high) {
    at -= 0.5F;
    at = at < 0 ? 0 : at > static_cast<float>(count - 1) ? static_cast<float>(count - 1) : at;
    low = static_cast<int>(at);
    high = low + 1 < count ? low + 1 : low;
    return at - static_cast<float>(low);
  };
  int x0;
  int x1;
  int y0;
  int y1;
  const float fx = place(x, picture.width, x0, x1);
  const float fy = place(y, picture.height, y0, y1);
  const float* top = picture.row(y0);
  const float* bottom = picture.row(y1);
  const float w00 = factor * (1 - fx) * (1 - fy);
  const float w01 = factor * fx * (1 - fy);
  const float w10 = factor * (1 - fx) * fy;
  const float w11 = factor * fx * fy;
  for (int c = 0; c < 4; ++c) {
    to[c] += w00 * top[4 * x0 + c] + w01 * top[4 * x1 + c] + w10 * bottom[4 * x0 + c] +
             w11 * bottom[4 * x1 + c];
  }
}

}  // namespace tessera::models
