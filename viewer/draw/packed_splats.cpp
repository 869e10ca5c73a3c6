// SPDX-License-Identifier: MIT
#include "viewer/draw/packed_splats.h"

#include <algorithm>
#include <cmath>

#include "core/math/half.h"

namespace tessera::viewer {
namespace {

constexpr int64_t kGrain = 1 << 13;
constexpr float kMostDeviations = 3.33F;  // sqrt(2 ln 255): where the most opaque splat ends

void pack_shape(const core::GaussianCloud& cloud, int64_t i, PackedSplats& packed) {
  float* position = &packed.positions[4 * i];
  for (int a = 0; a < 3; ++a) position[a] = cloud.plane(core::kMeanPlane + a)[i];
  position[3] = cloud.plane(core::kOpacityPlane)[i];
  uint16_t* shape = &packed.shapes[8 * i];
  float largest = cloud.plane(core::kLogScalePlane)[i];
  for (int a = 0; a < 3; ++a) {
    const float log_scale = cloud.plane(core::kLogScalePlane + a)[i];
    largest = std::max(largest, log_scale);
    shape[a] = math::half_from_float(log_scale);
  }
  shape[3] = 0;
  float q[4];
  float norm = 0;
  for (int a = 0; a < 4; ++a) {
    q[a] = cloud.plane(core::kQuaternionPlane + a)[i];
    norm += q[a] * q[a];
  }
  const float scale = norm > 0 ? 1 / std::sqrt(norm) : 0;
  for (int a = 0; a < 4; ++a) {
    const float identity = a == 0 ? 1.0F : 0.0F;
    shape[4 + a] = math::half_from_float(norm > 0 ? q[a] * scale : identity);
  }
  packed.radii[i] = kMostDeviations * std::exp(largest);
}

}  // namespace

PackedSplats pack_splats(const core::GaussianCloud& cloud, core::ThreadPool& pool) {
  PackedSplats packed;
  packed.count = cloud.size();
  packed.sh_degree = cloud.sh_degree;
  packed.positions.resize(4 * packed.count);
  packed.shapes.resize(8 * packed.count);
  packed.radii.resize(packed.count);
  const int values = 3 * core::sh_coefficient_count(cloud.sh_degree);
  const int64_t stride = int64_t{4} * color_texels(cloud.sh_degree);
  packed.colors.resize(stride * packed.count);
  pool.parallel_for(packed.count, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t i = begin; i < end; ++i) pack_shape(cloud, i, packed);
    for (int k = 0; k < stride; ++k) {
      uint16_t* to = packed.colors.data() + k;
      const float* from = k < values ? cloud.plane(core::kShPlane + k) : nullptr;
      for (int64_t i = begin; i < end; ++i) {
        to[i * stride] = from == nullptr ? uint16_t{0} : math::half_from_float(from[i]);
      }
    }
  });
  return packed;
}

}  // namespace tessera::viewer
