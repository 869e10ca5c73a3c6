// Lens distortion undone: photos resampled as a pinhole camera of the same focal length would have
// taken them.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/camera.h"
#include "core/photo_source.h"

namespace tessera::assets {

// Fields of view beyond this are cropped: a pinhole picture grows without bound towards 180.
inline constexpr double kMaxFieldOfViewDeg = 120;

struct PinholeCamera {
  core::Camera camera;   // PINHOLE
  bool cropped = false;  // part of the photo lies outside of it
};

// The pinhole camera with the same focal lengths that sees all of what `camera` sees, up to 60
// degrees from the axis on each side and twice the size.
PinholeCamera pinhole_of(const core::Camera& camera);

// Where pixels of a pinhole picture come from in the distorted photo.
class Undistortion {
 public:
  // `pinhole` may be of any size: a smaller copy of pinhole_of(camera) gives a smaller picture.
  Undistortion(const core::Camera& camera, const core::Camera& pinhole);

  // False if no pixel of the photo shows what is at `pinhole_pixel`.
  bool source(math::Vec2<double> pinhole_pixel, math::Vec2<double>& photo_pixel) const;

 private:
  math::Lens<double> lens_;
  core::Camera pinhole_;
  double width_, height_;
  double max_radius_;  // of (x/z, y/z): beyond it the polynomial folds back
};

// Bilinear. Masked pixels, and transparent ones where there is alpha, give nothing to their
// neighbours; pixels without a source are masked out. `photo` has no depth.
core::Photo undistort(const core::Photo& photo, const core::Camera& camera,
                      const core::Camera& pinhole);

}  // namespace tessera::assets
