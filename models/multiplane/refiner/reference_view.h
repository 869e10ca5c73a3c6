// A multiplane image as its reference camera sees it: at each pixel the nearest texel. Texels stand
// for pixels of that picture, so nothing is rendered.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "core/multiplane_image.h"

namespace tessera::models {

// Disparities are inverse depths less the least that is seen, by the range that is seen: 0 the
// farthest, 1 the nearest. Where they differ by more than this they are of different surfaces.
inline constexpr float kOtherSurface = 0.02F;
// A texel counts from this alpha on.
inline constexpr uint8_t kOpaqueTexel = 128;

struct ReferenceView {
  core::Image8 color;         // RGB
  core::ImageF disparity;     // of the nearest; below kNothing where no layer is
  core::ImageF most_around;   // the greatest within two pixels: how near the nearest there is
  core::ImageF least_beside;  // the least of a pixel and the eight around it
  float least_inverse_depth = 0;
  float inverse_depth_range = 1;

  static constexpr float kNothing = -1e6F;

  // Of a layer's plane at the middle of a pixel.
  float disparity_of(const core::MultiplaneLayer& layer, const core::Camera& camera, int x,
                     int y) const;
};

ReferenceView reference_view(const core::MultiplaneImage& image);

}  // namespace tessera::models
