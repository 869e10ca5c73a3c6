// A curve as inline SVG for the report: sharp on paper, no script, colors by the page's own style.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera::apps {

struct LineChart {
  std::string title;
  std::string unit;                               // after the last value, e.g. "dB"
  std::vector<std::pair<double, double>> points;  // x (steps) rising, y
  bool logarithmic = false;                       // y, all of it positive
  bool dots = false;                              // points marked: few, far apart
};

// One <svg> element with a viewBox; fits the width it is given. Empty for fewer than two points.
std::string to_svg(const LineChart& chart);

}  // namespace tessera::apps
