// A splat in 22 bytes: its center in 16-bit fixed point over the window that gets it, its depth, by
// which splats are sorted, as it is, and the rest in half precision.
//
// The shape crosses as the Cholesky factor of its 2D covariance: any factor with a positive
// diagonal makes an ellipse, whereas a needle's conic rounded to half precision need not.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/math/vec.h"
#include "core/pixel_window.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::render {

struct CompressedSplat {
  uint16_t center[2];  // CenterGrid's codes
  uint16_t depth[2];   // the bits of a float
  uint16_t factor[3];  // of the covariance: xx, xy, yy, in units of kFactorUnit
  uint16_t color[3];
  uint16_t opacity;
};
static_assert(sizeof(CompressedSplat) == 22);

// Pixels: half precision then holds the shape of splats up to 4 million pixels wide.
inline constexpr float kFactorUnit = 64;

// 16-bit fixed point over a window and an eighth of its extent on each side of it.
class CenterGrid {
 public:
  // In place of a code: the center lies outside and crosses by itself.
  static constexpr uint16_t kOutside = 0xFFFF;

  explicit CenterGrid(const core::PixelWindow& window);

  bool holds(const CpuSplat& splat) const;
  // Of a center that it holds.
  void encode(const CpuSplat& splat, uint16_t codes[2]) const;
  math::Vec2<float> decode(const uint16_t codes[2]) const;
  // A center comes back within half of this.
  math::Vec2<float> step() const {
    return {static_cast<float>(step_.x), static_cast<float>(step_.y)};
  }

 private:
  math::Vec2<double> origin_, step_;
};

// The center's codes are those of a center outside if the grid does not hold it.
CompressedSplat compressed(const CpuSplat& splat, const CenterGrid& grid);
// The splat, but its center; the opacity and the normal are left zero, as splat_of leaves them.
CpuSplat splat_of(const CompressedSplat& message);

}  // namespace tessera::render
