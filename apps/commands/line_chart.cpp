// SPDX-License-Identifier: MIT
#include "apps/commands/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/commands/progress.h"

namespace tessera::apps {
namespace {

constexpr double kWidth = 420;
constexpr double kHeight = 210;
constexpr double kLeft = 46;
constexpr double kRight = 14;
constexpr double kTop = 30;
constexpr double kBottom = 26;

// "12k" beats "12,000" beside an axis.
std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

// Round numbers in [low, high], about `count` of them.
std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= 0.75 * rough) break;
  }
  std::vector<double> at;
  for (double v = std::ceil(low / step) * step; v <= high + 1e-9 * step; v += step) {
    at.push_back(std::abs(v) < 1e-9 * step ? 0 : v);
  }
  return at;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> at;
  for (double power = std::pow(10, std::floor(std::log10(low))); power <= high; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double v = factor * power;
      if (v >= low && v <= high) at.push_back(v);
    }
  }
  return at;
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  if (chart.points.size() < 2) return "";
  double low = chart.points[0].second;
  double high = low;
  for (const auto& [x, y] : chart.points) {
    low = std::min(low, y);
    high = std::max(high, y);
  }
  const auto scaled = [&](double v) { return chart.logarithmic ? std::log(v) : v; };
  double y0 = scaled(low);
  double y1 = scaled(high);
  const double margin = std::max(0.06 * (y1 - y0), 1e-6 * std::max(std::abs(y1), 1.0));
  y0 -= margin;
  y1 += margin;
  const double x0 = chart.points.front().first;
  const double x1 = std::max(chart.points.back().first, x0 + 1);
  const auto px = [&](double x) {
    return kLeft + (kWidth - kLeft - kRight) * (x - x0) / (x1 - x0);
  };
  const auto py = [&](double y) {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * (scaled(y) - y0) / (y1 - y0);
  };
  std::string svg = fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"><text class=\"name\" x=\"{}\" "
      "y=\"16\">{}</text>",
      kWidth, kHeight, chart.title, kLeft, chart.title);
  const double bottom_value = chart.logarithmic ? std::exp(y0) : y0;
  const double top_value = chart.logarithmic ? std::exp(y1) : y1;
  std::vector<double> marks =
      chart.logarithmic ? log_ticks(bottom_value, top_value) : ticks(bottom_value, top_value, 4);
  if (marks.size() < 2) marks = ticks(bottom_value, top_value, 3);
  for (const double y : marks) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{}</text>",
        kLeft, py(y), kWidth - kRight, kLeft - 6, py(y) + 3.5, short_number(y));
  }
  for (const double x : ticks(x0, x1, 5)) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", px(x),
                       kHeight - 8, short_number(x));
  }
  std::string path;
  std::string dots;
  for (const auto& [x, y] : chart.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', px(x), py(y));
    if (chart.dots)
      dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"/>", px(x), py(y));
  }
  const double last = chart.points.back().second;
  svg += fmt::format(
      "<path class=\"curve\" d=\"{}\"/>{}<text class=\"last\" x=\"{}\" y=\"16\" "
      "text-anchor=\"end\">{}{}{}</text></svg>",
      path, dots, kWidth - kRight,
      std::abs(last) >= 1000 ? count_text(std::llround(last)) : fmt::format("{:.4g}", last),
      chart.unit.empty() ? "" : " ", chart.unit);
  return svg;
}

}  // namespace tessera::apps
