// A cloud as the graphics card keeps it: positions and opacity in float, all else in half
// precision.
//
// 32 bytes a splat for place and shape, and 8 for every four of its color coefficients: 128 bytes
// at degree 3. Packing takes no context, so that it is done by the thread that reads the file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/array.h"
#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"

namespace tessera::viewer {

struct PackedSplats {
  int64_t count = 0;
  int sh_degree = 0;
  core::Array<float> positions;  // [count][4]: x y z, opacity logit
  core::Array<uint16_t> shapes;  // [count][8]: log scales and nothing, quaternion w x y z
  core::Array<uint16_t> colors;  // [count][color_texels()][4]
  core::Array<float> radii;      // of the sphere that holds all of a splat that is drawn
};

constexpr int color_texels(int sh_degree) {
  return (3 * core::sh_coefficient_count(sh_degree) + 3) / 4;
}

PackedSplats pack_splats(const core::GaussianCloud& cloud, core::ThreadPool& pool);

}  // namespace tessera::viewer
