// SPDX-License-Identifier: MIT
#include "models/multiplane/hidden_colors.h"

#include <algorithm>
#include <cmath>

namespace tessera::models {
namespace {

constexpr int kMostSteps = 32;
constexpr float kSmallestStep = 1;  // in pixels
// A pixel is beside a nearer surface if one is within so many pixels whose disparity is greater by
// so much.
constexpr int kMixedReach = 2;
constexpr float kMixedDifference = 2;
constexpr float kFartherWeight = 0.02F;

// The greatest within `kMixedReach` along a row of `count` elements that stand `stride` apart.
void greatest_around(const float* from, int64_t stride, int count, float* to) {
  for (int i = 0; i < count; ++i) {
    const int begin = std::max(0, i - kMixedReach);
    const int end = std::min(count, i + kMixedReach + 1);
    float greatest = from[begin * stride];
    for (int j = begin + 1; j < end; ++j) greatest = std::max(greatest, from[j * stride]);
    to[i] = greatest;
  }
}

}  // namespace

HiddenColors::HiddenColors(const core::Image8& photo, const DisparityMap& map,
                           core::ThreadPool& pool)
    : photo_(photo),
      sources_(photo.width, photo.height, 1),
      least_(map.least),
      pool_(pool),
      pull_push_(pool) {
  const float range = map.greatest - map.least;
  step_count_ = std::clamp(static_cast<int>(std::ceil(range / kSmallestStep)), 1, kMostSteps);
  step_ = std::max(kSmallestStep, range / static_cast<float>(step_count_));
  core::ImageF along_rows(photo.width, photo.height, 1);
  pool.parallel_for(photo.height, 16, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      greatest_around(map.disparity.row(y), 1, photo.width, along_rows.row(y));
    }
  });
  pool.parallel_for(photo.height, 16, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      const int top = std::max(0, y - kMixedReach);
      const int bottom = std::min(photo.height, y + kMixedReach + 1);
      float* to = sources_.row(y);
      std::copy_n(along_rows.row(top), photo.width, to);
      for (int v = top + 1; v < bottom; ++v) {
        const float* from = along_rows.row(v);
        for (int x = 0; x < photo.width; ++x) to[x] = std::max(to[x], from[x]);
      }
      const float* own = map.disparity.row(y);
      for (int x = 0; x < photo.width; ++x) {
        to[x] = to[x] - own[x] > kMixedDifference ? INFINITY : own[x];
      }
    }
  });
}

int HiddenColors::step_of(float disparity) const {
  return std::clamp(static_cast<int>((disparity - least_) / step_), 0, step_count_ - 1);
}

void HiddenColors::look_behind(int step) {
  const float nearest = least_ + step_ * static_cast<float>(step + 1) + kMixedDifference;
  const float farthest = least_ + step_ * static_cast<float>(step) - kMixedDifference;
  colors_.resize((photo_.width + 1) / 2, (photo_.height + 1) / 2, 4);
  pool_.parallel_for(colors_.height, 16, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      float* to = colors_.row(y);
      std::fill_n(to, 4 * colors_.width, 0.0F);
      for (int v = 2 * y; v < std::min(2 * y + 2, photo_.height); ++v) {
        const float* disparity = sources_.row(v);
        const uint8_t* rgb = photo_.row(v);
        for (int x = 0; x < photo_.width; ++x, rgb += 3) {
          if (disparity[x] > nearest) continue;
          const float weight = 0.25F * (disparity[x] < farthest ? kFartherWeight : 1.0F);
          float* pixel = to + 4 * (x / 2);
          for (int c = 0; c < 3; ++c) pixel[c] += weight * rgb[c];
          pixel[3] += weight;
        }
      }
    }
  });
  pull_push_.fill(colors_);
}

void HiddenColors::color(int x, int y, uint8_t* rgb) const {
  float sum[4] = {};
  add_bilinear(colors_, 0.5F * (x + 0.5F), 0.5F * (y + 0.5F), 1, sum);
  const float scale = sum[3] > 0 ? 1 / sum[3] : 0;
  for (int c = 0; c < 3; ++c) {
    rgb[c] = static_cast<uint8_t>(std::clamp(scale * sum[c], 0.0F, 255.0F) + 0.5F);
  }
}

}  // namespace tessera::models
