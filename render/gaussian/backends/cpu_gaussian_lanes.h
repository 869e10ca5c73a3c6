// Loads a vector's worth of Gaussians from parameter planes. For kernel files.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/pack.h"
#include "render/gaussian/backends/cpu_kernels.h"
#include "render/gaussian/splat_math.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

using math::Pack;
using math::PackMask;

// Plane numbers of core/gaussian_cloud.h, which is not for kernel files.
constexpr int kLaneShPlane = 11;

struct GaussianLanes {
  const float* at;  // plane 0 at the first lane
  int64_t stride;

  HWY_INLINE Pack plane(int p) const { return Pack::load(at + p * stride); }
  HWY_INLINE Vec3<Pack> mean() const { return {plane(0), plane(1), plane(2)}; }
  HWY_INLINE Gaussian<Pack> gaussian() const {
    return {mean(),
            {plane(3), plane(4), plane(5)},
            {plane(6), plane(7), plane(8), plane(9)},
            plane(10)};
  }
  HWY_INLINE Pack operator()(int k, int channel) const {
    return plane(kLaneShPlane + 3 * k + channel);
  }
};

HWY_INLINE Vec3<Pack> center_lanes(const CameraValues& c) {
  return {Pack(static_cast<float>(c.center[0])), Pack(static_cast<float>(c.center[1])),
          Pack(static_cast<float>(c.center[2]))};
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
