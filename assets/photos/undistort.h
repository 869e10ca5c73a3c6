// Lens distortion undone: photos resampled as a pinhole camera of the same focal length would have
// taken them.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

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

// Where pixels of a pinhole picture come from in the distorted photo. Single precision: a
// thousandth of a pixel at 10,000 pixels.
class Undistortion {
 public:
  // `pinhole` may be of any size: a smaller copy of pinhole_of(camera) gives a smaller picture.
  Undistortion(const core::Camera& camera, const core::Camera& pinhole);

  // Of the pixel centers in row y: the photo's pixel, x and y one after the other, or a negative x
  // where no pixel of the photo shows what is there.
  void sources(int y, std::vector<float>& xy) const;

 private:
  math::Lens<float> lens_;
  core::Camera pinhole_;
  float width_, height_;
  float max_squared_radius_;  // of (x/z, y/z): beyond it the polynomial folds back
};

// Bilinear. Masked pixels, and transparent ones where there is alpha, give nothing to their
// neighbours; pixels without a source are masked out. `photo` has no depth.
core::Photo undistort(const core::Photo& photo, const core::Camera& camera,
                      const core::Camera& pinhole);

}  // namespace tessera::assets
