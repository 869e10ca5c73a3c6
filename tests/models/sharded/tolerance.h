// The bound on numbers whose terms are summed in another order.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/gaussian_cloud.h"

namespace tessera::models {

// The largest |got - expected| of plane p, in units of 1e-4 |expected| + 1e-6 of its largest.
inline double times_the_bound(const core::Planes& got, const core::Planes& expected, int p) {
  const float* e = expected.plane(p);
  double largest = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::fabs(double{e[i]}));
  }
  double worst = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double difference = std::fabs(double{got.plane(p)[i]} - double{e[i]});
    if (difference == 0) continue;
    worst = std::max(worst, difference / (1e-4 * std::fabs(double{e[i]}) + 1e-6 * largest));
  }
  return worst;
}

inline void expect_within_rounding(const core::Planes& got, const core::Planes& expected,
                                   const char* what) {
  ASSERT_EQ(got.plane_count(), expected.plane_count());
  ASSERT_EQ(got.size(), expected.size());
  for (int p = 0; p < expected.plane_count(); ++p) {
    EXPECT_LE(times_the_bound(got, expected, p), 1) << what << ", plane " << p;
  }
}

}  // namespace tessera::models
