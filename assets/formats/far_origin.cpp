// SPDX-License-Identifier: MIT
#include "assets/formats/far_origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera::assets {
namespace {

constexpr size_t kSamples = 10001;

// The median of evenly spread samples: stray points far away do not move it.
double middle(const std::vector<double>& values) {
  std::vector<double> samples;
  const size_t step = shift_sample_step(values.size());
  for (size_t i = 0; i < values.size(); i += step) {
    if (std::isfinite(values[i])) samples.push_back(values[i]);
  }
  if (samples.empty()) return 0;
  const auto median = samples.begin() + static_cast<int64_t>(samples.size() / 2);
  std::nth_element(samples.begin(), median, samples.end());
  return *median;
}

}  // namespace

size_t shift_sample_step(size_t count) {
  return std::max<size_t>(1, count / kSamples);
}

Shift shift_of(const std::vector<double> (&positions)[3], core::GaussianScene& scene) {
  Shift shift;
  bool far = false;
  for (int axis = 0; axis < 3; ++axis) {
    shift[axis] = std::round(middle(positions[axis]));
    far = far || std::abs(shift[axis]) > kFarFromOrigin;
  }
  if (!far) return {0, 0, 0};
  for (int axis = 0; axis < 3; ++axis) scene.origin_in_file[axis] += shift[axis];
  scene.notes.push_back(
      fmt::format("coordinates are far from the origin; they are shifted by "
                  "{:.0f}, {:.0f}, {:.0f}",
                  -shift[0], -shift[1], -shift[2]));
  return shift;
}

void set_means(core::GaussianCloud& cloud, const std::vector<double> (&positions)[3],
               const Shift& shift) {
  for (int axis = 0; axis < 3; ++axis) {
    float* plane = cloud.plane(core::kMeanPlane + axis);
    for (size_t i = 0; i < positions[axis].size(); ++i) {
      plane[i] = static_cast<float>(positions[axis][i] - shift[axis]);
    }
  }
}

}  // namespace tessera::assets
