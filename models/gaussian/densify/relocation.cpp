// SPDX-License-Identifier: MIT
#include "models/gaussian/densify/relocation.h"

#include <algorithm>
#include <cmath>

namespace tessera::models {

Relocated relocated(double opacity, int copies) {
  const int n = std::clamp(copies, 1, kMaxCopies);
  Relocated result;
  result.opacity = -std::expm1(std::log1p(-opacity) / n);
  // sum_{i=1..n} sum_{k=0..i-1} C(i-1,k) (-1)^k o'^(k+1) / sqrt(k+1); the inner binomials summed
  // over i are C(n,k+1).
  double denominator = 0;
  double binomial = 1;
  double power = 1;
  double sign = 1;
  for (int k = 0; k < n; ++k) {
    binomial *= static_cast<double>(n - k) / (k + 1);
    power *= result.opacity;
    denominator += sign * binomial * power / std::sqrt(k + 1.0);
    sign = -sign;
  }
  result.scale_factor = opacity / denominator;
  return result;
}

}  // namespace tessera::models
