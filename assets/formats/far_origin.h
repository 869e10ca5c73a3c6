// Means that float32 cannot hold well, such as UTM coordinates: shifted in double on reading.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/gaussian_cloud.h"

namespace tessera::assets {

// A scene whose middle is farther out than this (in its own units) is shifted: beyond it, float32
// steps by more than 1/128.
inline constexpr double kFarFromOrigin = 1e5;

// Sets the mean planes from coordinates in the file's frame (three arrays of the cloud's size),
// shifted if they are far out; then origin_in_file grows by the shift and a note says so.
void set_means(core::GaussianScene& scene, const std::vector<double> (&positions)[3]);

}  // namespace tessera::assets
