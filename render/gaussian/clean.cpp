// SPDX-License-Identifier: MIT
#include "render/gaussian/clean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/math/select.h"
#include "core/median.h"
#include "core/neighbors.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::render {
namespace {

using core::Array;
using core::GaussianCloud;
using core::ThreadPool;
using Cameras = std::span<const core::PosedCamera>;

constexpr int64_t kGrain = 4096;
constexpr double kOuterShare = 0.02;
constexpr int kNeighbors = 8;
constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

template <class Value>
Array<float> each(const GaussianCloud& cloud, ThreadPool& pool, const Value& value) {
  Array<float> values(cloud.size());
  pool.parallel_for(cloud.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t i = begin; i < end; ++i) values[i] = value(i);
  });
  return values;
}

bool has_finite_mean(const GaussianCloud& cloud, int64_t i) {
  return std::isfinite(cloud.plane(core::kMeanPlane)[i]) &&
         std::isfinite(cloud.plane(core::kMeanPlane + 1)[i]) &&
         std::isfinite(cloud.plane(core::kMeanPlane + 2)[i]);
}

// Of the three axes, ascending.
struct LogScales {
  float shortest, middle, longest;
};
LogScales log_scales(const GaussianCloud& cloud, int64_t i) {
  const float a = cloud.plane(core::kLogScalePlane)[i];
  const float b = cloud.plane(core::kLogScalePlane + 1)[i];
  const float c = cloud.plane(core::kLogScalePlane + 2)[i];
  const float low = std::min(a, b), high = std::max(a, b);
  return {std::min(low, c), std::max(low, std::min(high, c)), std::max(high, c)};
}

Array<float> parameters_not_finite(const GaussianCloud& cloud, Cameras /*cameras*/,
                                   ThreadPool& pool) {
  return each(cloud, pool, [&](int64_t i) {
    int count = 0;
    for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
      count += std::isfinite(cloud.plane(p)[i]) ? 0 : 1;
    }
    return static_cast<float>(count);
  });
}

Array<float> opacities(const GaussianCloud& cloud, Cameras /*cameras*/, ThreadPool& pool) {
  return each(cloud, pool,
              [&](int64_t i) { return math::sigmoid(cloud.plane(core::kOpacityPlane)[i]); });
}

Array<float> sizes(const GaussianCloud& cloud, Cameras /*cameras*/, ThreadPool& pool) {
  const double whole = extent(cloud);
  const double log_whole = whole > 0 ? std::log(whole) : 0;
  return each(cloud, pool, [&](int64_t i) {
    return static_cast<float>(std::exp(log_scales(cloud, i).longest - log_whole));
  });
}

// Discs are what surfaces are made of, so the middle axis tells a needle, not the shortest.
Array<float> elongations(const GaussianCloud& cloud, Cameras /*cameras*/, ThreadPool& pool) {
  return each(cloud, pool, [&](int64_t i) {
    const LogScales axes = log_scales(cloud, i);
    return std::exp(axes.longest - axes.middle);
  });
}

// The distance to the neighbors in units of the scene's usual one or, for what is larger than that,
// of its own extent: a wide background stands apart by what it covers itself.
Array<float> isolations(const GaussianCloud& cloud, Cameras /*cameras*/, ThreadPool& pool) {
  std::vector<math::Vec3<float>> points;
  std::vector<int64_t> which;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    if (!has_finite_mean(cloud, i)) continue;
    points.push_back({cloud.plane(core::kMeanPlane)[i], cloud.plane(core::kMeanPlane + 1)[i],
                      cloud.plane(core::kMeanPlane + 2)[i]});
    which.push_back(i);
  }
  std::vector<float> distances = core::mean_squared_neighbor_distance(points, kNeighbors, pool);
  for (float& distance : distances) distance = std::sqrt(distance);
  const float usual = std::max(core::median(distances), std::numeric_limits<float>::min());
  Array<float> values(cloud.size(), kNone);
  for (size_t k = 0; k < which.size(); ++k) {
    const float own = std::exp(log_scales(cloud, which[k]).longest);
    values[which[k]] = distances[k] / std::max(usual, own);
  }
  return values;
}

// In how many pictures it is drawn at all, were it alone: by the rasterizer's own projection.
Array<float> view_counts(const GaussianCloud& cloud, Cameras cameras, ThreadPool& pool) {
  Array<float> counts(cloud.size(), 0.0F);
  CpuProjection projection(pool, chosen_cpu_kernels());
  RasterizeOptions options;
  options.sh_degree = 0;
  for (const core::PosedCamera& camera : cameras) {
    projection.forward(cloud, camera, options);
    for (const uint32_t i : projection.visible()) counts[i] += 1;
  }
  return counts;
}

constexpr CleanRule kRules[] = {
    {"broken", "Numbers that are none", "more parameters that are not finite than this",
     CleanSide::kAbove, 0, false, parameters_not_finite},
    {"opacity", "Opacity", "opacity below this", CleanSide::kBelow, 0.02, false, opacities},
    {"size", "Size", "longest axis above this share of the scene's extent", CleanSide::kAbove, 1,
     false, sizes},
    {"needle", "Elongation", "longest by middle axis above this", CleanSide::kAbove, 100, false,
     elongations},
    {"isolated", "Isolation", "distance to the next 8 above this many usual ones",
     CleanSide::kAbove, 6, false, isolations},
    {"views", "Views", "seen by fewer cameras than this", CleanSide::kBelow, 1, true, view_counts},
};

}  // namespace

std::span<const CleanRule> clean_rules() {
  return kRules;
}

double extent(const GaussianCloud& cloud) {
  double squared = 0;
  for (int a = 0; a < 3; ++a) {
    std::vector<float> values;
    for (int64_t i = 0; i < cloud.size(); ++i) {
      const float value = cloud.plane(core::kMeanPlane + a)[i];
      if (std::isfinite(value)) values.push_back(value);
    }
    if (values.empty()) return 0;
    const auto outer = static_cast<int64_t>(kOuterShare * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + outer, values.end());
    const double low = values[outer];
    std::nth_element(values.begin(), values.end() - 1 - outer, values.end());
    const double side = values[values.size() - 1 - outer] - low;
    squared += side * side;
  }
  return std::sqrt(squared) / 2;
}

}  // namespace tessera::render
