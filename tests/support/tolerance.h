// The one table of tolerances: what a float result may differ by from the same in double.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tessera::test {

// |actual - expected| <= absolute + relative * |expected|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

// Float kernels against their double versions.
inline constexpr Tolerance kFloatMean{2e-6, 1e-5};  // a mean of many values of the order of 1
// SSIM of constant pictures: a variance that is 0 comes out as 1e-8, beside C2 = 9e-4.
inline constexpr Tolerance kFloatVariance{2e-4, 0};
inline constexpr Tolerance kFloatPositive{0, 1e-5};    // sums of terms of one sign
inline constexpr Tolerance kFloatUpdates{2e-6, 1e-5};  // some tens of updates of one value
// Derivatives of SSIM reach 1/C2 = 1111 before the filter; relative to the largest of the picture.
inline constexpr double kSsimGradientOfLargest = 2e-4;

// What core/math/pack.h states of its fast functions.
inline constexpr Tolerance kFastExp2{0, 3e-7};
inline constexpr Tolerance kFastLog2{1e-6, 0};
inline constexpr Tolerance kFastReciprocal{0, 3e-7};

// Pictures of a rasterizer against the double reference, values of the order of 1, where both made
// the same decisions; then where one alpha stood at a cut-off: 1/255 of light, or the last 1 %.
inline constexpr double kPicture = 1e-5;
inline constexpr double kPictureCrossing = 0.012;
// Radii are roots of a logarithm that is near 0 for splats hardly above 1/255.
inline constexpr Tolerance kRadius{2e-3, 1e-5};
inline constexpr double kCrossingShare = 0.002;  // of pixels, at most
inline constexpr double kDepthPicture = 2e-5;    // of the largest depth, squared for its variance
// Gradients: relative to the value, and to the largest of all Gaussians. The sum over pixels and
// splats has terms that cancel.
inline constexpr double kGradientRelative = 1e-4;
inline constexpr double kGradientOfLargest = 4e-5;
inline constexpr double kPoseOfLargest = 5e-4;  // sums over all Gaussians
inline constexpr Tolerance kBackgroundGradient{2e-5, 2e-5};

// Multiplane pictures: a texel's place is found to some 1e-5 pixels, and neighbors may differ by 1.
inline constexpr double kMultiplanePicture = 5e-5;
inline constexpr double kMultiplaneTexelOfLargest = 5e-5;
inline constexpr double kMultiplanePlaneOfLargest = 2e-4;  // sums over pixels of terms that cancel

// Double against double.
inline constexpr Tolerance kDoubleExact{1e-13, 1e-12};      // the same formula in another order
inline constexpr Tolerance kOtherProgram{0, 1e-9};          // another formula for the same
inline constexpr Tolerance kCentralDifference{1e-8, 1e-5};  // a derivative by differences

inline ::testing::AssertionResult near(double actual, double expected, Tolerance tolerance) {
  const double allowed = tolerance.absolute + tolerance.relative * std::fabs(expected);
  if (std::fabs(actual - expected) <= allowed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << actual << " differs from " << expected << " by " << std::fabs(actual - expected)
         << ", allowed are " << allowed;
}

}  // namespace tessera::test
