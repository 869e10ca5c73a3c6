// SPDX-License-Identifier: MIT
#include "models/multiplane/plane_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::models {
namespace {

// Added to the sums of squares of pixels' distances from their mean: as if that many pixels stood
// one pixel away with the mean disparity.
constexpr double kSlopeRestraint = 100;
// A plane may leave the tile's range of disparities by this part of it, and by two pixels.
constexpr double kBeyondRange = 0.25;

struct Moments {
  double w = 0, x = 0, y = 0, d = 0, xx = 0, xy = 0, yy = 0, xd = 0, yd = 0;
};

// Pixels' centers from the middle of the window.
struct Frame {
  float x = 0;
  float y = 0;
};

struct Range {
  double least = 0;
  double greatest = 0;
};

DisparityPlane solve(const Moments& m, const Frame& middle, const core::PixelWindow& window,
                     const Range& range) {
  const double x = m.x / m.w;
  const double y = m.y / m.w;
  const double d = m.d / m.w;
  const double xx = m.xx - m.w * x * x + kSlopeRestraint;
  const double yy = m.yy - m.w * y * y + kSlopeRestraint;
  const double xy = m.xy - m.w * x * y;
  const double xd = m.xd - m.w * x * d;
  const double yd = m.yd - m.w * y * d;
  const double determinant = xx * yy - xy * xy;
  double slope_x = (yy * xd - xy * yd) / determinant;
  double slope_y = (xx * yd - xy * xd) / determinant;
  // The plane's extremes in the window, against its mean.
  const double half_width = 0.5 * window.width;
  const double half_height = 0.5 * window.height;
  const double at_middle = -slope_x * x - slope_y * y;
  const double swing = std::fabs(slope_x) * half_width + std::fabs(slope_y) * half_height;
  const double beyond = kBeyondRange * (range.greatest - range.least) + 2;
  const double up = range.greatest + beyond - d;
  const double down = d - std::max(range.least - beyond, 0.5 * range.least);
  double part = 1;
  if (at_middle + swing > up) part = std::min(part, up / (at_middle + swing));
  if (swing - at_middle > down) part = std::min(part, down / (swing - at_middle));
  slope_x *= part;
  slope_y *= part;
  return {static_cast<float>(slope_x), static_cast<float>(slope_y),
          static_cast<float>(d - slope_x * (x + middle.x) - slope_y * (y + middle.y))};
}

}  // namespace

double fit_planes(const DisparityMap& map, const core::PixelWindow& window, int rounds,
                  std::span<DisparityPlane> planes, core::Image8& labels) {
  const Frame middle = {window.left + 0.5F * window.width, window.top + 0.5F * window.height};
  Range range = {INFINITY, 0};
  double mean_square = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Moments> moments(planes.size());
    for (int y = 0; y < window.height; ++y) {
      const float* disparity = map.disparity.row(window.top + y) + window.left;
      const float* weight = map.weight.row(window.top + y) + window.left;
      const double v = window.top + y + 0.5F - middle.y;
      for (int x = 0; x < window.width; ++x) {
        Moments& m = moments[labels.at(x, y)];
        const double w = weight[x];
        const double d = disparity[x];
        const double u = window.left + x + 0.5F - middle.x;
        m.w += w;
        m.x += w * u;
        m.y += w * v;
        m.d += w * d;
        m.xx += w * u * u;
        m.xy += w * u * v;
        m.yy += w * v * v;
        m.xd += w * u * d;
        m.yd += w * v * d;
        range = {std::min(range.least, d), std::max(range.greatest, d)};
      }
    }
    for (size_t k = 0; k < planes.size(); ++k) {
      if (moments[k].w > 0) planes[k] = solve(moments[k], middle, window, range);
    }
    double squares = 0;
    double weights = 0;
    for (int y = 0; y < window.height; ++y) {
      const float* disparity = map.disparity.row(window.top + y) + window.left;
      const float* weight = map.weight.row(window.top + y) + window.left;
      for (int x = 0; x < window.width; ++x) {
        float least = INFINITY;
        for (size_t k = 0; k < planes.size(); ++k) {
          const float error =
              planes[k].at(window.left + x + 0.5F, window.top + y + 0.5F) - disparity[x];
          if (error * error >= least) continue;
          least = error * error;
          labels.at(x, y) = static_cast<uint8_t>(k);
        }
        squares += static_cast<double>(weight[x]) * least;
        weights += weight[x];
      }
    }
    mean_square = squares / weights;
  }
  return mean_square;
}

}  // namespace tessera::models
