// Stereo pairs are matched to a part of a pixel, by the module.
// SPDX-License-Identifier: MIT
#include "models/multiplane/stereo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/program_module.h"

namespace tessera::models {
namespace {

// A wall without a period, seen `shift` pixels further left; a nearer square before it.
core::Image8 wall(float shift, float square_shift) {
  core::Image8 picture(160, 90, 3);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      const bool square = std::fabs(x + square_shift - 90) < 25 && std::abs(y - 45) < 20;
      const float u = static_cast<float>(x) + (square ? square_shift : shift);
      for (int c = 0; c < 3; ++c) {
        const float value = std::sin(0.9F * u + 0.4F * y) + std::sin(0.37F * u - 0.8F * y + c) +
                            std::sin(0.21F * u + 0.002F * u * y);
        picture.at(x, y, c) = static_cast<uint8_t>(std::lround((square ? 90 : 120) + 30 * value));
      }
    }
  }
  return picture;
}

TEST(Stereo, FindsDisparities) {
  if (core::function_of_module("tessera_stereo.so", "tessera_match_stereo") == nullptr) {
    GTEST_SKIP() << "tessera_stereo.so was not built; it needs OpenCV's calib3d";
  }
  const core::ImageF disparity = match_stereo(wall(0, 0), wall(6.5F, 15), 24);
  std::vector<float> errors;
  for (int y = 10; y < 80; ++y) {
    for (int x = 30; x < 150; ++x) {
      const bool square = std::abs(x - 90) < 21 && std::abs(y - 45) < 16;
      const bool beside = !square && std::abs(x - 90) < 45 && std::abs(y - 45) < 26;
      if (beside || disparity.at(x, y) == 0) continue;
      errors.push_back(std::fabs(disparity.at(x, y) - (square ? 15 : 6.5F)));
    }
  }
  ASSERT_GT(errors.size(), 4000U);
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.15F);
  EXPECT_LT(errors[errors.size() * 95 / 100], 0.5F);
}

TEST(Stereo, RefusesPhotosOfTwoSizes) {
  const core::Image8 left(8, 6, 3);
  const core::Image8 right(8, 7, 3);
  try {
    match_stereo(left, right, 16);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("left one is 8x6, the right one 8x7"));
  }
}

}  // namespace
}  // namespace tessera::models
