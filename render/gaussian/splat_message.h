// A splat, and the gradient of one, as they cross from the rank that owns the Gaussian to a rank
// that draws pixels and back: 44 and 36 bytes, exact.
//
// Zhao et al., "On Scaling Up 3D Gaussian Splatting Training", 2024, send as many; the radius among
// them follows from the rest, and its room is taken by the half of an id that orders equal splats.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/pixel_window.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::render {

struct SplatMessage {
  float values[10];  // CpuSplat from mean_x to depth
  uint32_t tie_key;  // of the Gaussian's id
};
static_assert(sizeof(SplatMessage) == 44);

SplatMessage message_of(const CpuSplat& splat, uint64_t id);
// What does not cross is found again: the bounding box from the conic, no smaller than it was. The
// opacity and the normal, which blending without extras does not need, are left zero.
CpuSplat splat_of(const SplatMessage& message);

inline constexpr int kGradientFloats = sizeof(CpuSplatGradient) / sizeof(float);

// The floats of CpuSplatGradient that cross: the color's and the six sums, and where they are asked
// for the depth's and the absolute mean's.
class SplatGradientFormat {
 public:
  SplatGradientFormat(bool depth, bool absolute);

  int floats() const { return floats_; }
  void pack(const CpuSplatGradient& gradient, float* to) const;
  // Adds; what does not cross stays as it is.
  void add(const float* from, CpuSplatGradient& gradient) const;

 private:
  int floats_ = 0;
  int position_[kGradientFloats] = {};  // in CpuSplatGradient
};

// Adds all of a gradient to another.
void add(const CpuSplatGradient& from, CpuSplatGradient& to);

// Whether the splat's bounding box reaches into the window.
bool reaches(const CpuSplat& splat, const core::PixelWindow& window);

}  // namespace tessera::render
