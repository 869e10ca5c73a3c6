// SPDX-License-Identifier: MIT
#include "assets/photos/undistort.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "assets/photos/pixel_average.h"

namespace tessera::assets {
namespace {

constexpr double kMaxTangent = std::numbers::sqrt3;  // of half the largest field of view
constexpr double kMaxGrowth = 0.5;                   // of width and height, on each side

// Determinant of d(distorted)/d(x/z, y/z).
double stretch(const math::Lens<double>& lens, math::Vec2<double> uv) {
  const math::Vec2<double> ab = warp(lens, uv);
  const math::Vec2<double> row_x = warp_vjp(lens, uv, distort_vjp(lens, ab, {1, 0}));
  const math::Vec2<double> row_y = warp_vjp(lens, uv, distort_vjp(lens, ab, {0, 1}));
  return row_x.x * row_y.y - row_x.y * row_y.x;
}

// The radius up to which the lens maps one to one in all directions.
double one_to_one_radius(const math::Lens<double>& lens) {
  const double limit = kMaxTangent * std::numbers::sqrt2;
  constexpr int kDirections = 32;
  constexpr int kSteps = 512;
  for (int step = 1; step <= kSteps; ++step) {
    const double radius = limit * step / kSteps;
    for (int i = 0; i < kDirections; ++i) {
      const double angle = 2 * std::numbers::pi * i / kDirections;
      if (!(stretch(lens, {radius * std::cos(angle), radius * std::sin(angle)}) > 0)) {
        return limit * (step - 1) / kSteps;
      }
    }
  }
  return limit;
}

// Extent of (x/z, y/z) over the photo.
struct Extent {
  double left = 0, right = 0, top = 0, bottom = 0;

  void add(math::Vec2<double> uv) {
    left = std::min(left, uv.x);
    right = std::max(right, uv.x);
    top = std::min(top, uv.y);
    bottom = std::max(bottom, uv.y);
  }
};

// The ray of a border pixel, or the end of the one-to-one range towards it.
math::Vec2<double> border_ray(const math::Lens<double>& lens, math::Vec2<double> pixel,
                              double max_radius) {
  math::Vec2<double> uv{};
  if (unproject(lens, pixel, uv) && dot(uv, uv) <= max_radius * max_radius) return uv;
  const math::Vec2<double> d{(pixel.x - lens.cx) / lens.fx, (pixel.y - lens.cy) / lens.fy};
  return d * (max_radius / std::sqrt(dot(d, d) + 1e-30));
}

Extent extent_of(const core::Camera& camera, const math::Lens<double>& lens, double max_radius) {
  const double w = camera.width;
  const double h = camera.height;
  constexpr int kSamples = 64;
  const math::Vec2<double> corner = border_ray(lens, {0, 0}, max_radius);
  Extent extent{corner.x, corner.x, corner.y, corner.y};
  for (int i = 0; i <= kSamples; ++i) {
    const double x = w * i / kSamples;
    const double y = h * i / kSamples;
    for (const math::Vec2<double> pixel : {math::Vec2<double>{x, 0}, math::Vec2<double>{x, h},
                                           math::Vec2<double>{0, y}, math::Vec2<double>{w, y}}) {
      extent.add(border_ray(lens, pixel, max_radius));
    }
  }
  return extent;
}

}  // namespace

PinholeCamera pinhole_of(const core::Camera& camera) {
  PinholeCamera result{camera, false};
  result.camera.model = core::CameraModel::kPinhole;
  result.camera.distortion = {};
  if (core::is_pinhole(camera)) return result;

  const math::Lens<double> lens = lens_of(camera);
  const Extent extent = extent_of(camera, lens, one_to_one_radius(lens));
  // Pixel of the extent's end, limited; whole pixels, so that pixel centers stay pixel centers.
  const auto limited = [&](double end, double focal, double center, double size) {
    const double cropped = std::clamp(end, -kMaxTangent, kMaxTangent);
    const double pixel = std::round(focal * cropped + center);
    const double kept =
        std::clamp(pixel, -std::floor(kMaxGrowth * size), size + std::floor(kMaxGrowth * size));
    if (cropped != end || kept != pixel) result.cropped = true;
    return kept;
  };
  const double left = limited(extent.left, camera.fx, camera.cx, camera.width);
  const double right = limited(extent.right, camera.fx, camera.cx, camera.width);
  const double top = limited(extent.top, camera.fy, camera.cy, camera.height);
  const double bottom = limited(extent.bottom, camera.fy, camera.cy, camera.height);
  result.camera.width = std::max(1, static_cast<int>(right - left));
  result.camera.height = std::max(1, static_cast<int>(bottom - top));
  result.camera.cx -= left;
  result.camera.cy -= top;
  return result;
}

Undistortion::Undistortion(const core::Camera& camera, const core::Camera& pinhole)
    : lens_(lens_of(camera)),
      pinhole_(pinhole),
      width_(camera.width),
      height_(camera.height),
      max_radius_(one_to_one_radius(lens_)) {}

bool Undistortion::source(math::Vec2<double> pinhole_pixel, math::Vec2<double>& photo_pixel) const {
  const math::Vec2<double> uv{(pinhole_pixel.x - pinhole_.cx) / pinhole_.fx,
                              (pinhole_pixel.y - pinhole_.cy) / pinhole_.fy};
  if (dot(uv, uv) > max_radius_ * max_radius_) return false;
  photo_pixel = project(lens_, math::Vec3<double>{uv.x, uv.y, 1.0});
  return photo_pixel.x >= 0 && photo_pixel.y >= 0 && photo_pixel.x <= width_ &&
         photo_pixel.y <= height_;
}

core::Photo undistort(const core::Photo& photo, const core::Camera& camera,
                      const core::Camera& pinhole) {
  const Undistortion undistortion(camera, pinhole);
  const int channels = photo.pixels.channels;
  core::Photo result;
  result.pixels = core::Image8(pinhole.width, pinhole.height, channels);
  result.mask = core::Image8(pinhole.width, pinhole.height, 1);
  for (int y = 0; y < pinhole.height; ++y) {
    for (int x = 0; x < pinhole.width; ++x) {
      PixelAverage average;
      math::Vec2<double> source{};
      if (undistortion.source({x + 0.5, y + 0.5}, source)) {
        const double left = std::floor(source.x - 0.5);
        const double top = std::floor(source.y - 0.5);
        const auto right_weight = static_cast<float>(source.x - 0.5 - left);
        const auto bottom_weight = static_cast<float>(source.y - 0.5 - top);
        for (int corner = 0; corner < 4; ++corner) {
          const int dx = corner & 1;
          const int dy = corner >> 1;
          const float weight = (dx != 0 ? right_weight : 1 - right_weight) *
                               (dy != 0 ? bottom_weight : 1 - bottom_weight);
          const int sx = std::clamp(static_cast<int>(left) + dx, 0, photo.pixels.width - 1);
          const int sy = std::clamp(static_cast<int>(top) + dy, 0, photo.pixels.height - 1);
          average.add(photo, sx, sy, weight);
        }
      }
      result.mask.at(x, y) = average.store(&result.pixels.at(x, y), channels);
    }
  }
  return result;
}

}  // namespace tessera::assets
