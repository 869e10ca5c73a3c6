// Gaussians of which no parameter has a gradient that is but rounding.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/capture.h"
#include "models/gaussian/model.h"

namespace tessera::models {

// Those of the points with random scales along turned axes and with colors in all degrees: spheres
// have no gradient of their turn.
inline core::GaussianCloud turned_cloud(const std::vector<core::ColoredPoint>& points,
                                        const TrainSettings& settings) {
  core::ThreadPool pool(1);
  core::GaussianCloud cloud = cloud_from_points(points, settings, pool);
  std::mt19937 random(8);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] += 0.3F * normal(random);
    for (int k = 0; k < 4; ++k) cloud.plane(core::kQuaternionPlane + k)[i] = normal(random);
    cloud.plane(core::kOpacityPlane)[i] = normal(random);
    for (int p = core::kShPlane + 3; p < cloud.parameters.plane_count(); ++p) {
      cloud.plane(p)[i] = 0.1F * normal(random);
    }
  }
  return cloud;
}

}  // namespace tessera::models
