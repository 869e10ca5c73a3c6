// SPDX-License-Identifier: MIT
#include "assets/photos/undistort.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/lens_extent.h"
#include "core/pixel_average.h"

namespace tessera::assets {
namespace {

constexpr double kMaxTangent = std::numbers::sqrt3;  // of half the largest field of view
constexpr double kMaxRadius = kMaxTangent * std::numbers::sqrt2;
constexpr double kMaxGrowth = 0.5;  // of width and height, on each side

}  // namespace

PinholeCamera pinhole_of(const core::Camera& camera) {
  PinholeCamera result{camera, false};
  result.camera.model = core::CameraModel::kPinhole;
  result.camera.distortion = {};
  if (core::is_pinhole(camera)) return result;

  const math::Lens<double> lens = lens_of(camera);
  const core::LensExtent extent =
      core::lens_extent(camera, lens, core::one_to_one_radius(lens, kMaxRadius));
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
    : pinhole_(pinhole),
      width_(static_cast<float>(camera.width)),
      height_(static_cast<float>(camera.height)) {
  float distortion[8];
  std::copy(camera.distortion.begin(), camera.distortion.end(), distortion);
  lens_ = math::make_lens(static_cast<int>(camera.model), static_cast<float>(camera.fx),
                          static_cast<float>(camera.fy), static_cast<float>(camera.cx),
                          static_cast<float>(camera.cy), distortion);
  const double radius = core::one_to_one_radius(lens_of(camera), kMaxRadius);
  max_squared_radius_ = static_cast<float>(radius * radius);
}

void Undistortion::sources(int y, std::vector<float>& xy) const {
  xy.resize(2 * static_cast<size_t>(pinhole_.width));
  const auto v = static_cast<float>((y + 0.5 - pinhole_.cy) / pinhole_.fy);
  const auto du = static_cast<float>(1 / pinhole_.fx);
  const auto u_of_column_0 = static_cast<float>((0.5 - pinhole_.cx) / pinhole_.fx);
  for (int x = 0; x < pinhole_.width; ++x) {
    const math::Vec2<float> uv{u_of_column_0 + du * static_cast<float>(x), v};
    const math::Vec2<float> d = distort(lens_, warp(lens_, uv));
    const float sx = lens_.fx * d.x + lens_.cx;
    const float sy = lens_.fy * d.y + lens_.cy;
    const bool seen =
        dot(uv, uv) <= max_squared_radius_ && sx >= 0 && sy >= 0 && sx <= width_ && sy <= height_;
    xy[2 * x] = seen ? sx : -1;
    xy[2 * x + 1] = sy;
  }
}

namespace {

// The four pixels around a place in the photo, the rim's repeated outside, and their weights.
struct Corners {
  int left, right, top, bottom;
  float right_weight, bottom_weight;

  Corners(float x, float y, const core::Image8& image) {
    const float u = std::max(x - 0.5F, 0.0F);
    const float v = std::max(y - 0.5F, 0.0F);
    left = std::min(static_cast<int>(u), image.width - 1);
    top = std::min(static_cast<int>(v), image.height - 1);
    right = std::min(left + 1, image.width - 1);
    bottom = std::min(top + 1, image.height - 1);
    right_weight = u - static_cast<float>(left);
    bottom_weight = v - static_cast<float>(top);
  }
};

void sample_color(const core::Image8& image, const Corners& at, uint8_t* pixel) {
  const uint8_t* top_left = &image.at(at.left, at.top);
  const uint8_t* top_right = &image.at(at.right, at.top);
  const uint8_t* bottom_left = &image.at(at.left, at.bottom);
  const uint8_t* bottom_right = &image.at(at.right, at.bottom);
  for (int c = 0; c < 3; ++c) {
    const auto tl = static_cast<float>(top_left[c]);
    const auto tr = static_cast<float>(top_right[c]);
    const auto bl = static_cast<float>(bottom_left[c]);
    const auto br = static_cast<float>(bottom_right[c]);
    const float upper = tl + at.right_weight * (tr - tl);
    const float lower = bl + at.right_weight * (br - bl);
    pixel[c] = static_cast<uint8_t>(upper + at.bottom_weight * (lower - upper) + 0.5F);
  }
}

uint8_t sample_kept(const core::Photo& photo, const Corners& at, uint8_t* pixel) {
  const float right = at.right_weight;
  const float bottom = at.bottom_weight;
  core::PixelAverage average;
  average.add(photo, at.left, at.top, (1 - right) * (1 - bottom));
  average.add(photo, at.right, at.top, right * (1 - bottom));
  average.add(photo, at.left, at.bottom, (1 - right) * bottom);
  average.add(photo, at.right, at.bottom, right * bottom);
  return average.store(pixel, photo.pixels.channels);
}

}  // namespace

core::Photo undistort(const core::Photo& photo, const core::Camera& camera,
                      const core::Camera& pinhole) {
  const Undistortion undistortion(camera, pinhole);
  const int channels = photo.pixels.channels;
  const bool all_count = photo.mask.empty() && channels == 3;
  core::Photo result;
  result.pixels = core::Image8(pinhole.width, pinhole.height, channels);
  result.mask = core::Image8(pinhole.width, pinhole.height, 1);
  std::vector<float> sources;
  for (int y = 0; y < pinhole.height; ++y) {
    undistortion.sources(y, sources);
    for (int x = 0; x < pinhole.width; ++x) {
      uint8_t* pixel = &result.pixels.at(x, y);
      uint8_t& kept = result.mask.at(x, y);
      if (sources[2 * x] < 0) {
        std::fill_n(pixel, channels, uint8_t{0});
        kept = 0;
        continue;
      }
      const Corners corners(sources[2 * x], sources[2 * x + 1], photo.pixels);
      if (all_count) {
        sample_color(photo.pixels, corners, pixel);
        kept = 255;
      } else {
        kept = sample_kept(photo, corners, pixel);
      }
    }
  }
  return result;
}

}  // namespace tessera::assets
