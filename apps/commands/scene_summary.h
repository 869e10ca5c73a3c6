// What `tessera inspect` says of a scene: counts, bounds, distributions, problems.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/commands/summary_text.h"
#include "assets/format.h"
#include "core/gaussian_cloud.h"

namespace tessera::apps {

// counts[i] values lie in [edges[i], edges[i + 1]), the last one's end included.
struct Histogram {
  std::vector<double> edges;
  std::vector<int64_t> counts;
};

struct SceneSummary {
  int64_t count = 0;
  int64_t dropped = 0;
  int sh_degree = 0;
  bool antialiased = false;
  std::string vertical_axis;
  std::array<double, 3> origin_in_file = {};
  Bounds bounds;         // of the means
  Bounds middle_bounds;  // without the outer 1 % on each side of each axis
  Histogram opacity;     // of 0..1, ten parts
  Histogram scale;       // of the largest axis's standard deviation, two parts a decade
  std::vector<std::string> problems;
};

SceneSummary summarize(const core::GaussianScene& scene);

struct PointsSummary {
  int64_t count = 0;
  int64_t dropped = 0;
  bool has_colors = false;
  Bounds bounds;
  Bounds middle_bounds;
  std::vector<std::string> problems;
};

PointsSummary summarize(const assets::PointCloud& cloud);

// Each line ends with '\n'; the first is left to the caller, who knows the file.
std::string to_text(const SceneSummary& summary);
std::string to_text(const PointsSummary& summary);
// JSON objects.
std::string to_json(const SceneSummary& summary);
std::string to_json(const PointsSummary& summary);

}  // namespace tessera::apps
