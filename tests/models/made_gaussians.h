// Gaussians made by hand for tests of growing, pruning and moving.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <utility>

#include "models/gaussian/state.h"

namespace tessera::models {

inline float logit(double opacity) {
  return static_cast<float>(std::log(opacity / (1 - opacity)));
}
inline double opacity_of(const core::GaussianCloud& cloud, int64_t i) {
  return 1 / (1 + std::exp(-double{cloud.plane(core::kOpacityPlane)[i]}));
}

// The cloud of a run that has not begun: all that belongs to it is zero.
inline GaussianState state_of(core::GaussianCloud cloud, int statistics_planes = 0) {
  GaussianState state;
  const int planes = cloud.parameters.plane_count();
  state.first_moments.reset(planes, cloud.size());
  state.second_moments.reset(planes, cloud.size());
  state.statistics.reset(statistics_planes, cloud.size());
  state.cloud = std::move(cloud);
  return state;
}

// `size` Gaussians in a row, of opacity 0.5 and scale 0.001, with moments of one.
inline GaussianState row_of(int64_t size, int statistics_planes) {
  GaussianState state = state_of(core::GaussianCloud(1, size), statistics_planes);
  state.first_moments.fill(1);
  state.second_moments.fill(1);
  for (int64_t i = 0; i < size; ++i) {
    state.cloud.plane(core::kMeanPlane)[i] = static_cast<float>(i);
    state.cloud.plane(core::kQuaternionPlane)[i] = 1;
    for (int a = 0; a < 3; ++a) state.cloud.plane(core::kLogScalePlane + a)[i] = std::log(0.001F);
  }
  return state;
}

}  // namespace tessera::models
