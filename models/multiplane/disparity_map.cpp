// SPDX-License-Identifier: MIT
#include "models/multiplane/disparity_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"

namespace tessera::models {
namespace {

constexpr float kGuessedWeight = 0.02F;

bool is_known(float inverse_depth) {
  return std::isfinite(inverse_depth) && inverse_depth > 0;
}

// Whether the row has any known pixel.
bool fill_row(float* disparity, int width) {
  float left = 0;
  std::vector<float> from_left(width);
  for (int x = 0; x < width; ++x) {
    if (disparity[x] > 0) left = disparity[x];
    from_left[x] = left;
  }
  float right = 0;
  for (int x = width - 1; x >= 0; --x) {
    if (disparity[x] > 0) {
      right = disparity[x];
    } else if (right > 0 && from_left[x] > 0) {
      disparity[x] = std::min(right, from_left[x]);
    } else {
      disparity[x] = std::max(right, from_left[x]);
    }
  }
  return right > 0;
}

}  // namespace

DisparityMap make_disparity_map(const DepthPhoto& photo, double baseline, core::ThreadPool& pool) {
  const int width = photo.inverse_depth.width;
  const int height = photo.inverse_depth.height;
  const double scale = photo.camera.camera.fx * baseline;
  DisparityMap map;
  map.disparity.resize(width, height, 1);
  map.weight.resize(width, height, 1);
  std::vector<uint8_t> has_known(height);
  std::vector<float> least(height, INFINITY);
  std::vector<float> greatest(height, 0);
  pool.parallel_for(height, 16, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      const float* from = photo.inverse_depth.row(y);
      float* to = map.disparity.row(y);
      for (int x = 0; x < width; ++x) {
        to[x] = 0;
        map.weight.at(x, y) = kGuessedWeight;
        if (!is_known(from[x])) continue;
        to[x] = static_cast<float>(scale * from[x]);
        least[y] = std::min(least[y], to[x]);
        greatest[y] = std::max(greatest[y], to[x]);
        const float weight = photo.weight.empty() ? 1.0F : photo.weight.at(x, y);
        if (weight > kGuessedWeight) map.weight.at(x, y) = weight;
      }
      has_known[y] = fill_row(to, width) ? 1 : 0;
    }
  });
  map.least = *std::min_element(least.begin(), least.end());
  map.greatest = *std::max_element(greatest.begin(), greatest.end());
  const auto first = std::find(has_known.begin(), has_known.end(), 1);
  if (first == has_known.end()) {
    throw core::Error(
        "No pixel of the depth map has a depth; zeros, negative values and NaN stand "
        "for unknown ones.");
  }
  auto known = static_cast<int>(first - has_known.begin());
  for (int y = 0; y < height; ++y) {
    if (has_known[y] != 0) known = y;
    if (known != y) std::copy_n(map.disparity.row(known), width, map.disparity.row(y));
  }
  return map;
}

}  // namespace tessera::models
