// SPDX-License-Identifier: MIT
#include "apps/commands/scene_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/commands/progress.h"

namespace tessera::apps {
namespace {

constexpr int kOpacityParts = 10;
constexpr int kScalePartsPerDecade = 2;
constexpr int kMostScaleParts = 16;
constexpr size_t kBarLength = 40;
constexpr double kInvisible = 1.0 / 255.0;
constexpr double kNeedleRatio = 1000.0;

Histogram histogram(const std::vector<float>& values, double first, double step, int parts) {
  Histogram result;
  for (int i = 0; i <= parts; ++i) result.edges.push_back(first + step * i);
  result.counts.resize(parts);
  for (const float value : values) {
    const int part = static_cast<int>(std::floor((value - first) / step));
    ++result.counts[std::clamp(part, 0, parts - 1)];
  }
  return result;
}

// Parts of half a decade; what lies below the lowest of kMostScaleParts counts into it.
Histogram scale_histogram(const std::vector<float>& log_scales) {
  if (log_scales.empty()) return {};
  std::vector<float> decades(log_scales.size());
  std::transform(log_scales.begin(), log_scales.end(), decades.begin(),
                 [](float s) { return s / std::log(10.0F); });
  const auto [lowest, highest] = std::minmax_element(decades.begin(), decades.end());
  const double step = 1.0 / kScalePartsPerDecade;
  const double last = std::floor(*highest / step) + 1;
  const double first = std::max(std::floor(*lowest / step), last - kMostScaleParts);
  Histogram result =
      histogram(decades, first * step, step, static_cast<int>(std::lround(last - first)));
  for (double& edge : result.edges) edge = std::pow(10.0, edge);
  return result;
}

void add_problem(std::vector<std::string>& problems, int64_t count, const char* one,
                 const char* several) {
  if (count == 0) return;
  problems.push_back(count == 1 ? fmt::format("1 Gaussian {}", one)
                                : fmt::format("{} Gaussians {}", count_text(count), several));
}

std::string histogram_text(const Histogram& histogram) {
  std::string text;
  const int64_t most =
      std::max<int64_t>(1, *std::max_element(histogram.counts.begin(), histogram.counts.end()));
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    const auto length = static_cast<size_t>(std::ceil(static_cast<double>(histogram.counts[i]) *
                                                      kBarLength / static_cast<double>(most)));
    text += fmt::format("    {:>8.3g} to {:<8.3g} {:<40} {}\n", histogram.edges[i],
                        histogram.edges[i + 1], std::string(length, '#'),
                        count_text(histogram.counts[i]));
  }
  return text;
}

nlohmann::ordered_json json_of(const Bounds& bounds) {
  return nlohmann::ordered_json::parse(bounds_json(bounds));
}

nlohmann::ordered_json json_of(const Histogram& histogram) {
  return {{"edges", histogram.edges}, {"counts", histogram.counts}};
}

}  // namespace

SceneSummary summarize(const core::GaussianScene& scene) {
  const core::GaussianCloud& cloud = scene.cloud;
  const int64_t n = cloud.size();
  SceneSummary summary;
  summary.count = n;
  summary.dropped = scene.dropped;
  summary.sh_degree = cloud.sh_degree;
  summary.antialiased = scene.antialiased;
  summary.vertical_axis = scene.vertical_axis;
  std::copy_n(scene.origin_in_file, 3, summary.origin_in_file.begin());
  AxisValues means;
  for (int a = 0; a < 3; ++a) {
    const float* mean = cloud.plane(core::kMeanPlane + a);
    means[a].assign(mean, mean + n);
  }
  summary.bounds = bounds_of(means);
  summary.middle_bounds = middle_bounds_of(means);

  std::vector<float> opacities(n);
  std::vector<float> largest(n);
  int64_t invisible = 0;
  int64_t needles = 0;
  int64_t flat = 0;
  for (int64_t i = 0; i < n; ++i) {
    opacities[i] = 1.0F / (1.0F + std::exp(-cloud.plane(core::kOpacityPlane)[i]));
    invisible += opacities[i] < kInvisible ? 1 : 0;
    std::array<float, 3> s;
    for (int a = 0; a < 3; ++a) s[a] = cloud.plane(core::kLogScalePlane + a)[i];
    std::sort(s.begin(), s.end());
    largest[i] = s[2];
    needles += s[2] - s[1] > std::log(kNeedleRatio) ? 1 : 0;
    flat += s[0] < std::log(1e-12F) ? 1 : 0;
  }
  summary.opacity = histogram(opacities, 0, 1.0 / kOpacityParts, kOpacityParts);
  summary.scale = scale_histogram(largest);
  summary.problems = scene.notes;
  add_problem(summary.problems, invisible, "has an opacity below 1/255 and is never seen",
              "have an opacity below 1/255 and are never seen");
  add_problem(summary.problems, needles, "is a needle, 1000 times as long as wide",
              "are needles, 1000 times as long as wide");
  add_problem(summary.problems, flat, "has a flat axis", "have a flat axis");
  if (n == 0) summary.problems.emplace_back("there is no Gaussian in it");
  return summary;
}

PointsSummary summarize(const assets::PointCloud& cloud) {
  PointsSummary summary;
  summary.count = static_cast<int64_t>(cloud.points.size());
  summary.dropped = cloud.dropped;
  summary.has_colors = cloud.has_colors;
  AxisValues axes;
  for (const core::ColoredPoint& point : cloud.points) {
    axes[0].push_back(point.position.x);
    axes[1].push_back(point.position.y);
    axes[2].push_back(point.position.z);
  }
  summary.bounds = bounds_of(axes);
  summary.middle_bounds = middle_bounds_of(axes);
  summary.problems = cloud.notes;
  if (summary.count == 0) summary.problems.emplace_back("there is no point in it");
  return summary;
}

std::string to_text(const SceneSummary& s) {
  std::string text =
      fmt::format("  Gaussians     {}\n  SH degree     {}\n", count_text(s.count), s.sh_degree);
  if (s.count > 0) {
    text += fmt::format("  bounds        {}\n  middle 98 %   {}\n", bounds_text(s.bounds),
                        bounds_text(s.middle_bounds));
  }
  text += fmt::format("  antialiased   {}\n", s.antialiased ? "yes" : "no");
  if (!s.vertical_axis.empty()) text += fmt::format("  up            {}\n", s.vertical_axis);
  if (s.origin_in_file != std::array<double, 3>{}) {
    text += fmt::format("  offset        {:.6f} {:.6f} {:.6f}\n", s.origin_in_file[0],
                        s.origin_in_file[1], s.origin_in_file[2]);
  }
  if (s.count > 0) {
    text += "  opacity\n" + histogram_text(s.opacity);
    text += "  size (standard deviation along the longest axis)\n" + histogram_text(s.scale);
  }
  return text + problems_text(s.problems);
}

std::string to_text(const PointsSummary& s) {
  std::string text = fmt::format("  points        {}\n  colors        {}\n", count_text(s.count),
                                 s.has_colors ? "yes" : "no");
  if (s.count > 0) {
    text += fmt::format("  bounds        {}\n  middle 98 %   {}\n", bounds_text(s.bounds),
                        bounds_text(s.middle_bounds));
  }
  return text + problems_text(s.problems);
}

std::string to_json(const SceneSummary& s) {
  const nlohmann::ordered_json json = {{"kind", "gaussians"},
                                       {"count", s.count},
                                       {"dropped", s.dropped},
                                       {"sh_degree", s.sh_degree},
                                       {"antialiased", s.antialiased},
                                       {"vertical_axis", s.vertical_axis},
                                       {"origin_in_file", s.origin_in_file},
                                       {"bounds", json_of(s.bounds)},
                                       {"middle_bounds", json_of(s.middle_bounds)},
                                       {"opacity", json_of(s.opacity)},
                                       {"scale", json_of(s.scale)},
                                       {"problems", s.problems}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string to_json(const PointsSummary& s) {
  const nlohmann::ordered_json json = {{"kind", "points"},
                                       {"count", s.count},
                                       {"dropped", s.dropped},
                                       {"has_colors", s.has_colors},
                                       {"bounds", json_of(s.bounds)},
                                       {"middle_bounds", json_of(s.middle_bounds)},
                                       {"problems", s.problems}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tessera::apps
