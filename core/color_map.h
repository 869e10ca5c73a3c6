// Numbers as colors for pictures of depth and of differences.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"

namespace tessera::core {

// Near is warm, far is blue (Mikhailov's "turbo"), evenly in 1/depth between the nearest and the
// farthest hundredth; black where the depth is 0 (unknown). 1 channel in, 3 out.
Image8 depth_picture(const ImageF& depth);

// Unit vectors in camera axes as n * 0.5 + 0.5 with y and z turned to point up and to the viewer;
// black where there is none.
Image8 normal_picture(const ImageF& normal);

// What the brightest color of difference pictures in reports stands for.
inline constexpr float kDifferenceWhiteAt = 0.25F;

// Mean over the channels of |a - b|, from black (0) over red to yellow (`white_at` and more);
// pixels that `mask` (may be empty) leaves out are grey.
Image8 difference_picture(const ImageF& a, const ImageF& b, const Image8& mask, float white_at);

// Smaller by area averages so that it is at most `width` wide; as it is if it is no wider.
Image8 shrunk(const Image8& image, int width);

}  // namespace tessera::core
