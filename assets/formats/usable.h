// Which Gaussians of a file can be used at all: the same rules for every format.
//
// A position that is not finite, a NaN anywhere, a rotation of length 0 or an infinite size drops a
// Gaussian: drawn, it would be a blob where none was meant or poison what it touches. Infinite
// opacity logits are what 8-bit opacities of 0 and 1 mean, and a log scale of minus infinity is a
// flat axis; both are brought to finite values.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "core/gaussian_cloud.h"

namespace tessera::assets {

inline constexpr float kExtremeLogit = 20.0F;   // sigmoid is 1 to the last bit of a float
inline constexpr float kFlatLogScale = -30.0F;  // 1e-13; its square is still a normal float

// Normalises rotations, clamps the infinities above and removes what cannot be used; says so in
// `notes` and counts it in `dropped`. Ids become 0..size-1.
void keep_usable(core::GaussianScene& scene);

// How many keep_usable would keep.
int64_t count_usable(const core::GaussianCloud& cloud);

// Whether keep_usable would change nothing but the length of rotations.
bool all_clean(const core::GaussianCloud& cloud);

// Gaussian i's rotation, w x y z, of length 1. One that is so already stays to the last bit, so
// that reading and writing change nothing.
std::array<float, 4> unit_quaternion(const core::GaussianCloud& cloud, int64_t i);

}  // namespace tessera::assets
