// SPDX-License-Identifier: MIT
#include "core/lens_extent.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::core {
namespace {

// Determinant of d(distorted)/d(x/z, y/z).
double stretch(const math::Lens<double>& lens, math::Vec2<double> uv) {
  const math::Vec2<double> ab = warp(lens, uv);
  const math::Vec2<double> row_x = warp_vjp(lens, uv, distort_vjp(lens, ab, {1, 0}));
  const math::Vec2<double> row_y = warp_vjp(lens, uv, distort_vjp(lens, ab, {0, 1}));
  return row_x.x * row_y.y - row_x.y * row_y.x;
}

// The ray of a border pixel, or the end of the one-to-one range towards it.
math::Vec2<double> border_ray(const math::Lens<double>& lens, math::Vec2<double> pixel,
                              double max_radius) {
  math::Vec2<double> uv{};
  if (unproject(lens, pixel, uv) && dot(uv, uv) <= max_radius * max_radius) return uv;
  const math::Vec2<double> d{(pixel.x - lens.cx) / lens.fx, (pixel.y - lens.cy) / lens.fy};
  return d * (max_radius / std::sqrt(dot(d, d) + 1e-30));
}

void add(LensExtent& extent, math::Vec2<double> uv) {
  extent.left = std::min(extent.left, uv.x);
  extent.right = std::max(extent.right, uv.x);
  extent.top = std::min(extent.top, uv.y);
  extent.bottom = std::max(extent.bottom, uv.y);
}

}  // namespace

double one_to_one_radius(const math::Lens<double>& lens, double limit) {
  constexpr int kDirections = 32;
  constexpr int kSteps = 512;
  // Even steps of the angle from the axis: as fine at the axis as at the rim.
  const double last = std::atan(limit);
  double radius = 0;
  for (int step = 1; step <= kSteps; ++step) {
    const double next = step == kSteps ? limit : std::tan(last * step / kSteps);
    for (int i = 0; i < kDirections; ++i) {
      const double angle = 2 * std::numbers::pi * i / kDirections;
      if (!(stretch(lens, {next * std::cos(angle), next * std::sin(angle)}) > 0)) return radius;
    }
    radius = next;
  }
  return limit;
}

LensExtent lens_extent(const Camera& camera, const math::Lens<double>& lens, double max_radius) {
  const double w = camera.width;
  const double h = camera.height;
  constexpr int kSamples = 64;
  const math::Vec2<double> corner = border_ray(lens, {0, 0}, max_radius);
  LensExtent extent{corner.x, corner.x, corner.y, corner.y};
  for (int i = 0; i <= kSamples; ++i) {
    const double x = w * i / kSamples;
    const double y = h * i / kSamples;
    for (const math::Vec2<double> pixel : {math::Vec2<double>{x, 0}, math::Vec2<double>{x, h},
                                           math::Vec2<double>{0, y}, math::Vec2<double>{w, y}}) {
      add(extent, border_ray(lens, pixel, max_radius));
    }
  }
  return extent;
}

}  // namespace tessera::core
