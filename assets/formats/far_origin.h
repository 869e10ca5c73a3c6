// Means that float32 cannot hold well, such as UTM coordinates: shifted in double on reading.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/gaussian_cloud.h"

namespace tessera::assets {

// A scene whose middle is farther out than this (in its own units) is shifted: beyond it, float32
// steps by more than 1/128.
inline constexpr double kFarFromOrigin = 1e5;

using Shift = std::array<double, 3>;

// The shift follows from every so many-th of `count` positions.
size_t shift_sample_step(size_t count);

// What is subtracted from coordinates in the file's frame, of which these (three arrays) are all or
// those samples: zeros unless they are far out. Then origin_in_file grows by the shift and a note
// says so.
Shift shift_of(const std::vector<double> (&positions)[3], core::GaussianScene& scene);

// Sets the mean planes from coordinates in the file's frame, three arrays of the cloud's size.
void set_means(core::GaussianCloud& cloud, const std::vector<double> (&positions)[3],
               const Shift& shift);

}  // namespace tessera::assets
