// SPDX-License-Identifier: MIT
#include "render/gaussian/compressed_splat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/math/half.h"

namespace tessera::render {
namespace {

constexpr double kHalfLog2e = 0.72134752044448170;  // from a conic to one in units of log2
constexpr double kCodes = 65536;

double code_of(double value, double origin, double step) {
  return std::floor((value - origin) / step);
}
bool is_code(double code) {
  return code >= 0 && code < CenterGrid::kOutside;  // false for a NaN
}

void encode_shape(const CpuSplat& splat, uint16_t factor[3]) {
  constexpr double kLeast = 1e-30;  // of a conic that vanished in float
  const double a = std::max(-double{splat.conic_xx}, kLeast);
  const double b = -0.5 * double{splat.conic_xy};
  const double c = std::max(-double{splat.conic_yy}, kLeast);
  // Of a needle's determinant the conic's rounding leaves nothing, or less.
  const double determinant = std::max(a * c - b * b, 0x1p-22 * a * c);
  const double xx = std::sqrt(kHalfLog2e * c / determinant);
  factor[0] = math::half_from_float(static_cast<float>(xx / kFactorUnit));
  factor[1] = math::half_from_float(static_cast<float>(-b / c * xx / kFactorUnit));
  factor[2] = math::half_from_float(static_cast<float>(std::sqrt(kHalfLog2e / c) / kFactorUnit));
}

void decode_shape(const uint16_t factor[3], CpuSplat& splat) {
  constexpr double kSmallestHalf = 0x1p-24;
  const auto length = [](uint16_t half) {
    return kFactorUnit * double{math::float_from_half(half)};
  };
  const double xx = std::max(length(factor[0]), kSmallestHalf * kFactorUnit);
  const double yy = std::max(length(factor[2]), kSmallestHalf * kFactorUnit);
  const double xy = length(factor[1]);
  const double slope = xy / (xx * yy);
  splat.conic_xx = static_cast<float>(-kHalfLog2e * (1 / (xx * xx) + slope * slope));
  splat.conic_xy = static_cast<float>(2 * kHalfLog2e * slope / yy);
  splat.conic_yy = static_cast<float>(-kHalfLog2e / (yy * yy));
  // What rounding to float may have taken from the determinant, this gives back.
  const double b = 0.5 * double{splat.conic_xy};
  if (double{splat.conic_xx} * double{splat.conic_yy} <= b * b) splat.conic_xy *= 1 - 0x1p-21F;

  // The level set alpha = 1/255.
  constexpr double kMargin = 1.001;
  const double reach = std::max(double{splat.log2_opacity} + std::log2(255.0), 0.0);
  const double stretch = std::sqrt(kMargin * reach / kHalfLog2e);
  splat.half_width = static_cast<float>(stretch * xx);
  splat.half_height = static_cast<float>(stretch * std::hypot(xy, yy));
}

}  // namespace

CenterGrid::CenterGrid(const core::PixelWindow& window) {
  constexpr double kMargin = 1.0 / 8;
  origin_ = {window.left - kMargin * window.width, window.top - kMargin * window.height};
  step_ = {(1 + 2 * kMargin) * window.width / kCodes, (1 + 2 * kMargin) * window.height / kCodes};
}

bool CenterGrid::holds(const CpuSplat& splat) const {
  return is_code(code_of(splat.mean_x, origin_.x, step_.x)) &&
         is_code(code_of(splat.mean_y, origin_.y, step_.y));
}

void CenterGrid::encode(const CpuSplat& splat, uint16_t codes[2]) const {
  codes[0] = static_cast<uint16_t>(code_of(splat.mean_x, origin_.x, step_.x));
  codes[1] = static_cast<uint16_t>(code_of(splat.mean_y, origin_.y, step_.y));
}

math::Vec2<float> CenterGrid::decode(const uint16_t codes[2]) const {
  return {static_cast<float>(origin_.x + (codes[0] + 0.5) * step_.x),
          static_cast<float>(origin_.y + (codes[1] + 0.5) * step_.y)};
}

CompressedSplat compressed(const CpuSplat& splat, const CenterGrid& grid) {
  CompressedSplat message;
  message.center[0] = message.center[1] = CenterGrid::kOutside;
  if (grid.holds(splat)) grid.encode(splat, message.center);
  std::memcpy(message.depth, &splat.depth, sizeof(message.depth));
  encode_shape(splat, message.factor);
  for (int c = 0; c < 3; ++c) message.color[c] = math::half_from_float(splat.color[c]);
  message.opacity = math::half_from_float(std::exp2(splat.log2_opacity));
  return message;
}

CpuSplat splat_of(const CompressedSplat& message) {
  CpuSplat splat = {};
  std::memcpy(&splat.depth, message.depth, sizeof(message.depth));
  for (int c = 0; c < 3; ++c) splat.color[c] = math::float_from_half(message.color[c]);
  constexpr float kTransparent = 1e-30F;
  splat.log2_opacity = std::log2(std::max(math::float_from_half(message.opacity), kTransparent));
  decode_shape(message.factor, splat);
  return splat;
}

}  // namespace tessera::render
