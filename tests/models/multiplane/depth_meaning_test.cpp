// What the numbers of depth maps mean: their kinds are told apart by surfaces, and give the inverse
// depth that a scene has.
// SPDX-License-Identifier: MIT
#include "models/multiplane/depth_meaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace tessera::models {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 320;
constexpr int kHeight = 240;
constexpr double kFocal = 300;

// Depth of a room, seen 1.5 m above its floor, with a slanted wall on the left.
core::ImageF room() {
  core::ImageF depth(kWidth, kHeight, 1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double u = (x + 0.5 - 0.5 * kWidth) / kFocal;
      const double v = (y + 0.5 - 0.5 * kHeight) / kFocal;
      double nearest = 8;  // the back wall
      if (v > 0) nearest = std::min(nearest, 1.5 / v);
      // The wall: x = -2 + 0.3 z.
      if (u < 0.3) nearest = std::min(nearest, -2 / (u - 0.3));
      depth.at(x, y) = static_cast<float>(nearest);
    }
  }
  return depth;
}

template <class Function>
core::ImageF mapped(core::ImageF values, const Function& function) {
  for (float& value : values.data) value = static_cast<float>(function(value));
  return values;
}

void expect_inverse_of(const core::ImageF& depth, const InverseDepth& inverse, double unit) {
  for (int64_t i = 0; i < depth.pixel_count(); ++i) {
    ASSERT_NEAR(inverse.values.data[i] * depth.data[i] * unit, 1, 1e-5) << i;
  }
}

TEST(DepthMeaning, SurfacesTellDepthFromItsInverse) {
  const core::ImageF depth = room();
  EXPECT_EQ(straight_in_values(depth), std::optional(false));
  EXPECT_EQ(straight_in_values(mapped(depth, [](float z) { return 100 / z; })),
            std::optional(true));
  // Up to scale and shift, too.
  EXPECT_EQ(straight_in_values(mapped(depth, [](float z) { return 3 / z + 0.4; })),
            std::optional(true));
  // Steps of stored integers hide nothing.
  EXPECT_EQ(straight_in_values(mapped(depth, [](float z) { return std::round(1000 * z); })),
            std::optional(false));
}

TEST(DepthMeaning, FlatAndFrontoParallelScenesTellNothing) {
  core::ImageF flat(kWidth, kHeight, 1);
  flat.data.fill(2);
  EXPECT_EQ(straight_in_values(flat), std::nullopt);
  for (int x = kWidth / 2; x < kWidth; ++x) {
    for (int y = 0; y < kHeight; ++y) flat.at(x, y) = 5;
  }
  EXPECT_EQ(straight_in_values(flat), std::nullopt);
}

TEST(DepthMeaning, KindsAreGuessedFromStorageAndSurfaces) {
  const core::ImageF depth = room();
  EXPECT_EQ(guessed_kind({depth, 0}), DepthKind::kDepth);
  EXPECT_EQ(guessed_kind({mapped(depth, [](float z) { return 1 / z; }), 0}),
            DepthKind::kInverseDepth);
  EXPECT_EQ(guessed_kind({mapped(depth, [](float z) { return std::round(1000 * z); }), 16}),
            DepthKind::kDepth);
  EXPECT_EQ(guessed_kind({mapped(depth, [](float z) { return std::round(255 / z); }), 8}),
            DepthKind::kInverseDepth);
  core::ImageF flat(8, 8, 1);
  flat.data.fill(2);
  EXPECT_EQ(guessed_kind({flat, 0}), DepthKind::kDepth);
  flat.at(3, 3) = 65535;  // stretched over the whole range
  EXPECT_EQ(guessed_kind({flat, 16}), DepthKind::kInverseDepth);
}

TEST(DepthMeaning, MillimetersAreMetric) {
  const core::ImageF depth = mapped(room(), [](float z) { return std::round(1000 * z); });
  const InverseDepth inverse = inverse_depth_of({depth, 16}, DepthKind::kDepth, {kFocal});
  expect_inverse_of(depth, inverse, 1e-3);
  EXPECT_TRUE(inverse.metric);
  EXPECT_TRUE(inverse.warnings.empty());
}

TEST(DepthMeaning, FloatsWithoutAScaleAreNotMetric) {
  const core::ImageF depth = room();
  const InverseDepth inverse = inverse_depth_of({depth, 0}, DepthKind::kDepth, {kFocal});
  expect_inverse_of(depth, inverse, 1);
  EXPECT_FALSE(inverse.metric);
  DepthScale meters{kFocal};
  meters.value = 1;
  EXPECT_TRUE(inverse_depth_of({depth, 0}, DepthKind::kDepth, meters).metric);
}

TEST(DepthMeaning, DisparityOfAPair) {
  const core::ImageF depth = room();
  constexpr double kBaseline = 0.12;
  const core::ImageF disparity =
      mapped(depth, [](float z) { return 2 * (kFocal * kBaseline / z - 1.5); });
  DepthScale scale{kFocal, kBaseline};
  scale.value = 0.5;
  scale.offset_px = 1.5;
  const InverseDepth inverse = inverse_depth_of({disparity, 0}, DepthKind::kDisparity, scale);
  expect_inverse_of(depth, inverse, 1);
  EXPECT_TRUE(inverse.metric);
}

TEST(DepthMeaning, InverseDepthUpToScaleAndShiftKeepsOrderAndRatiosOfDifferences) {
  const core::ImageF depth = room();
  const core::ImageF values = mapped(depth, [](float z) { return 40 / z - 3; });
  const InverseDepth inverse = inverse_depth_of({values, 0}, DepthKind::kInverseDepth, {kFocal});
  const auto [least, greatest] = std::minmax_element(values.data.begin(), values.data.end());
  for (int64_t i = 0; i < values.pixel_count(); ++i) {
    const float part = (values.data[i] - *least) / (*greatest - *least);
    ASSERT_NEAR(inverse.values.data[i], 0.2F + 0.8F * part, 1e-5F);
  }
  EXPECT_FALSE(inverse.metric);
}

TEST(DepthMeaning, WhatIsUnknownStaysUnknown) {
  core::ImageF depth = room();
  depth.at(3, 4) = 0;
  depth.at(5, 6) = -1;
  depth.at(7, 8) = NAN;
  depth.at(9, 10) = INFINITY;
  const InverseDepth inverse = inverse_depth_of({depth, 0}, DepthKind::kDepth, {kFocal});
  for (const int x : {3, 5, 7, 9}) EXPECT_EQ(inverse.values.at(x, x + 1), 0) << x;
  EXPECT_GT(inverse.values.at(11, 12), 0);
  depth.data.fill(0);
  EXPECT_THROW(inverse_depth_of({depth, 0}, DepthKind::kDepth, {kFocal}), core::Error);
}

TEST(DepthMeaning, ZerosOfEightBitsThatStandApartAreUnknown) {
  core::ImageF values(16, 16, 1);
  values.data.fill(80);
  values.at(5, 5) = 0;
  for (int y = 0; y < 16; ++y) values.at(12, y) = 200;
  const InverseDepth apart = inverse_depth_of({values, 8}, DepthKind::kInverseDepth, {kFocal});
  EXPECT_EQ(apart.values.at(5, 5), 0);
  EXPECT_NEAR(apart.values.at(8, 8), 0.2, 1e-6);  // the farthest that is known
  values.at(9, 9) = 3;                            // values go down to zero
  const InverseDepth joined = inverse_depth_of({values, 8}, DepthKind::kInverseDepth, {kFocal});
  EXPECT_NEAR(joined.values.at(5, 5), 0.2, 1e-6);
}

TEST(DepthMeaning, ConfusedKindsAreNoticed) {
  const core::ImageF depth = room();
  const core::ImageF disparity = mapped(depth, [](float z) { return 100 / z; });
  const InverseDepth wrong = inverse_depth_of({disparity, 0}, DepthKind::kDepth, {kFocal});
  ASSERT_FALSE(wrong.warnings.empty());
  EXPECT_THAT(wrong.warnings[0], HasSubstr("--depth-is disparity or inverse"));
  const InverseDepth other = inverse_depth_of({depth, 0}, DepthKind::kDisparity, {kFocal});
  ASSERT_FALSE(other.warnings.empty());
  EXPECT_THAT(other.warnings[0], HasSubstr("--depth-is depth"));
}

TEST(DepthMeaning, GroundAboveTheSkyIsNoticed) {
  core::ImageF depth(kWidth, kHeight, 1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) depth.at(x, y) = y < kHeight / 2 ? 2 : 6;
  }
  const InverseDepth wrong = inverse_depth_of({depth, 0}, DepthKind::kDepth, {kFocal});
  ASSERT_EQ(wrong.warnings.size(), 1U);
  EXPECT_THAT(wrong.warnings[0], HasSubstr("near and far are exchanged"));
  EXPECT_TRUE(inverse_depth_of({depth, 0}, DepthKind::kInverseDepth, {kFocal}).warnings.empty());
}

TEST(DepthMeaning, FlatDepthIsSaid) {
  core::ImageF flat(16, 16, 1);
  flat.data.fill(3);
  const InverseDepth inverse = inverse_depth_of({flat, 0}, DepthKind::kDepth, {kFocal});
  ASSERT_EQ(inverse.warnings.size(), 1U);
  EXPECT_THAT(inverse.warnings[0], HasSubstr("the same everywhere"));
}

// Coarse steps on a slanted surface become a ramp again; an edge stays one.
TEST(DepthMeaning, StepsOfEightBitsAreSmoothed) {
  core::ImageF truth(64, 16, 1);
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      truth.at(x, y) = x < 32 ? 40 + 0.25F * static_cast<float>(x) : 200;
    }
  }
  const core::ImageF stored = mapped(truth, [](float value) { return std::round(value); });
  const InverseDepth inverse = inverse_depth_of({stored, 8}, DepthKind::kInverseDepth, {kFocal});
  // From pixel to pixel the ramp rises evenly, where stored steps rise by 0 or 1.
  const float value_per_inverse = (200 - 40) / 0.8F;
  float steepest = 0;
  for (int x = 4; x < 28; ++x) {
    const float rise = inverse.values.at(x + 1, 8) - inverse.values.at(x, 8);
    steepest = std::max(steepest, value_per_inverse * rise);
  }
  EXPECT_LT(steepest, 0.51F);
  EXPECT_NEAR(inverse.values.at(32, 8), 1, 1e-6);
  EXPECT_LT(inverse.values.at(31, 8), 0.3F);
}

TEST(DepthMeaning, ResizingMakesNoDepthsBetweenSurfaces) {
  core::ImageF small(20, 10, 1);
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      small.at(x, y) = x < 10 ? 2 + 0.01F * static_cast<float>(x) : 8;
    }
  }
  const core::ImageF large = resized_depth(small, 200, 100);
  ASSERT_EQ(large.width, 200);
  ASSERT_EQ(large.height, 100);
  for (const float value : large.data) EXPECT_TRUE(value <= 2.09F + 1e-5F || value == 8) << value;
  // Within a surface it goes over evenly: pixel x of the large map is at x / 10 - 0.45.
  EXPECT_NEAR(large.at(50, 50), 2 + 0.01 * (50.5 / 10 - 0.5), 1e-5);
}

}  // namespace
}  // namespace tessera::models
