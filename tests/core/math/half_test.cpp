// Half precision: every value there and back, rounding to the nearest and at random.
// SPDX-License-Identifier: MIT
#include "core/math/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tessera::math {
namespace {

TEST(Half, EveryValueComesBack) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto half = static_cast<uint16_t>(h);
    const float value = float_from_half(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_from_half(half_from_float(value))));
      continue;
    }
    EXPECT_EQ(half_from_float(value), half);
    for (const uint32_t bits : {0U, 0x80000000U, 0xFFFFFFFFU}) {
      EXPECT_EQ(half_at_random(value, bits), half) << value;
    }
  }
  EXPECT_EQ(float_from_half(0x3C00), 1.0F);
  EXPECT_EQ(float_from_half(0xC000), -2.0F);
  EXPECT_EQ(float_from_half(0x7BFF), kLargestHalf);
  EXPECT_EQ(float_from_half(0x0001), std::ldexp(1.0F, -24));
}

TEST(Half, TheNearestIsTakenAndTiesGoToTheEven) {
  for (uint32_t h = 0; h < 0x7BFF; ++h) {
    const float low = float_from_half(static_cast<uint16_t>(h));
    const float high = float_from_half(static_cast<uint16_t>(h + 1));
    const float middle = 0.5F * (low + high);
    EXPECT_EQ(half_from_float(middle), h % 2 == 0 ? h : h + 1);
    EXPECT_EQ(half_from_float(std::nextafter(middle, low)), h);
    EXPECT_EQ(half_from_float(std::nextafter(middle, high)), h + 1);
  }
}

TEST(Half, WhatIsTooLargeIsCutAndWhatIsNotFiniteStays) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float value : {65504.1F, 65519.0F, 65536.0F, 1e30F}) {
    EXPECT_EQ(float_from_half(half_from_float(value)), kLargestHalf);
    EXPECT_EQ(float_from_half(half_at_random(-value, 0xFFFFFFFFU)), -kLargestHalf);
  }
  EXPECT_EQ(float_from_half(half_from_float(-infinity)), -infinity);
  EXPECT_EQ(float_from_half(half_at_random(infinity, 0)), infinity);
  EXPECT_TRUE(std::isnan(float_from_half(half_at_random(NAN, 0))));
}

TEST(Half, RoundedAtRandomTheMeanIsTheValue) {
  // 2^13 evenly spaced bits give the mean exactly for normal values.
  for (const float value : {1.2345F, -0.017F, 1234.5F, 6.1e-5F, 2e-6F, -3e-8F, 1e-9F}) {
    constexpr int kDraws = 1 << 13;
    double sum = 0;
    float least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < kDraws; ++k) {
      const float got = float_from_half(half_at_random(value, k << 19 | 0x40000U));
      sum += got;
      least = std::fmin(least, got);
      most = std::fmax(most, got);
    }
    const double step = std::fmax(std::ldexp(1.0, std::ilogb(value) - 10), std::ldexp(1.0, -24));
    EXPECT_NEAR(sum / kDraws, value, step / kDraws) << value;
    EXPECT_LE(most - least, 1.001 * step);
    EXPECT_LE(least, value);
    EXPECT_GE(most, value);
  }
}

}  // namespace
}  // namespace tessera::math
