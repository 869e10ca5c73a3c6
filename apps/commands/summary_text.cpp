// SPDX-License-Identifier: MIT
#include "apps/commands/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tessera::apps {
namespace {

constexpr double kNoMinusZero = 0;  // -0.0 + 0.0 is 0.0

}  // namespace

Bounds bounds_of(const AxisValues& values) {
  Bounds bounds;
  for (int axis = 0; axis < 3; ++axis) {
    if (values[axis].empty()) continue;
    const auto [lowest, highest] = std::minmax_element(values[axis].begin(), values[axis].end());
    bounds.lowest[axis] = *lowest + kNoMinusZero;
    bounds.highest[axis] = *highest + kNoMinusZero;
  }
  return bounds;
}

Bounds middle_bounds_of(AxisValues& values) {
  Bounds bounds;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double>& all = values[axis];
    if (all.empty()) continue;
    const auto cut = static_cast<int64_t>(all.size() / 100);
    const auto low = all.begin() + cut;
    const auto high = all.end() - 1 - cut;
    std::nth_element(all.begin(), low, all.end());
    bounds.lowest[axis] = *low + kNoMinusZero;
    std::nth_element(all.begin(), high, all.end());
    bounds.highest[axis] = *high + kNoMinusZero;
  }
  return bounds;
}

std::string bounds_text(const Bounds& bounds) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    text += fmt::format("{}{:.4g} to {:.4g}", axis > 0 ? ",  " : "", bounds.lowest[axis],
                        bounds.highest[axis]);
  }
  return text;
}

std::string bounds_json(const Bounds& bounds) {
  const nlohmann::ordered_json json = {{"lowest", bounds.lowest}, {"highest", bounds.highest}};
  return json.dump();
}

std::string problems_text(const std::vector<std::string>& problems) {
  if (problems.empty()) return "  problems      none found\n";
  std::string text = "  problems\n";
  for (const std::string& problem : problems) text += fmt::format("    {}\n", problem);
  return text;
}

}  // namespace tessera::apps
