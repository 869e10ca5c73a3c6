// SPDX-License-Identifier: MIT
#include "render/gaussian/splat_message.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "render/gaussian/rasterizer.h"

namespace tessera::render {
namespace {

static_assert(offsetof(CpuSplat, depth) == 9 * sizeof(float));
constexpr int kDepth = offsetof(CpuSplatGradient, depth) / sizeof(float);
constexpr int kAbsolute = offsetof(CpuSplatGradient, absolute_x) / sizeof(float);

}  // namespace

SplatMessage message_of(const CpuSplat& splat, uint64_t id) {
  SplatMessage message;
  std::memcpy(message.values, &splat, sizeof(message.values));
  message.tie_key = tie_key(id);
  return message;
}

CpuSplat splat_of(const SplatMessage& message) {
  CpuSplat splat = {};
  std::memcpy(&splat, message.values, sizeof(message.values));
  // The level set alpha = 1/255 is a dx^2 + b dx dy + c dy^2 = reach.
  const double a = -double{splat.conic_xx}, b = -double{splat.conic_xy},
               c = -double{splat.conic_yy};
  const double reach = double{splat.log2_opacity} + std::log2(255.0);
  constexpr double kMargin = 1.001;
  constexpr double kEverywhere = 1e9;  // where rounding left no ellipse
  const double determinant = a * c - 0.25 * b * b;
  const auto half = [&](double across) {
    const double squared = kMargin * std::max(reach, 0.0) * across / determinant;
    return static_cast<float>(squared >= 0 ? std::min(std::sqrt(squared), kEverywhere)
                                           : kEverywhere);
  };
  splat.half_width = half(c);
  splat.half_height = half(a);
  return splat;
}

SplatGradientFormat::SplatGradientFormat(bool depth, bool absolute) {
  for (int k = 0; k < kGradientFloats; ++k) {
    if (k == kDepth && !depth) continue;
    if (k >= kAbsolute && !absolute) continue;
    position_[floats_++] = k;
  }
}

void SplatGradientFormat::pack(const CpuSplatGradient& gradient, float* to) const {
  const float* from = gradient.color;
  for (int k = 0; k < floats_; ++k) to[k] = from[position_[k]];
}

void SplatGradientFormat::add(const float* from, CpuSplatGradient& gradient) const {
  float* to = gradient.color;
  for (int k = 0; k < floats_; ++k) to[position_[k]] += from[k];
}

void add(const CpuSplatGradient& from, CpuSplatGradient& to) {
  const float* values = from.color;
  float* sums = to.color;
  for (int k = 0; k < kGradientFloats; ++k) sums[k] += values[k];
}

bool reaches(const CpuSplat& splat, const core::PixelWindow& window) {
  constexpr float kMargin = 1;  // tile_bounds has half a pixel, and truncates
  return splat.mean_x + splat.half_width + kMargin >= static_cast<float>(window.left) &&
         splat.mean_x - splat.half_width - kMargin <= static_cast<float>(window.right()) &&
         splat.mean_y + splat.half_height + kMargin >= static_cast<float>(window.top) &&
         splat.mean_y - splat.half_height - kMargin <= static_cast<float>(window.bottom());
}

}  // namespace tessera::render
