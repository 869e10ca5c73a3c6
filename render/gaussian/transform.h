// Gaussians moved as a whole: turned, scaled, shifted.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "core/gaussian_cloud.h"
#include "core/similarity.h"
#include "core/view.h"

namespace tessera::render {

// Coefficients of the real spherical harmonics of one degree (2 degree + 1 of them, in the order of
// core/math/sh.h) after the function on the sphere was turned: c' = m c.
struct ShRotation {
  int degree = 0;
  std::array<double, 81> m = {};  // [2 degree + 1][2 degree + 1]
};
// Solved from the harmonics themselves at fixed directions, to double's rounding. `degree` <= 4.
ShRotation sh_rotation(const math::Mat3<double>& rotation, int degree);

// Moves means, turns quaternions and the harmonics of colors, and adds log(scale) to the log
// scales. What the similarity leaves as it is (no turn, scale 1, no shift) keeps its bits. With
// `moved`, one byte for each Gaussian, only those whose byte is not 0.
void transform(core::GaussianCloud& cloud, const core::Similarity& similarity,
               core::View<const uint8_t> moved = {});

}  // namespace tessera::render
