// Copies of a Gaussian that together look as it did alone.
//
// Kheradmand et al., "3D Gaussian Splatting as Markov Chain Monte Carlo", 2024, equation 9: of N
// copies each has opacity 1 - (1-o)^(1/N) and the scale that keeps the integral of the blended
// profile.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::models {

inline constexpr int kMaxCopies = 51;  // beyond it the correction hardly changes

struct Relocated {
  double opacity = 0;
  double scale_factor = 1;
};

// Of each of `copies` (1 to kMaxCopies, clamped) that replace one of opacity 0 < opacity < 1.
Relocated relocated(double opacity, int copies);

}  // namespace tessera::models
