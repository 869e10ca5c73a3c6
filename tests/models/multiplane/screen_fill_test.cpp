// Gaps of a view are filled with the background, and covered pixels stay.
// SPDX-License-Identifier: MIT
#include "models/multiplane/screen_fill.h"

#include <gtest/gtest.h>

namespace tessera::models {
namespace {

TEST(ScreenFill, FillsGapsFromTheFarSide) {
  core::ThreadPool pool(2);
  core::ImageF color(90, 40, 3);
  core::ImageF alpha(90, 40, 1);
  core::ImageF disparity(90, 40, 1);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 90; ++x) {
      const bool gap = x >= 40 && x < 52;
      alpha.at(x, y) = gap ? 0 : 1;
      disparity.at(x, y) = gap ? 0 : x < 40 ? 5 : 1;
      for (int c = 0; c < 3; ++c) color.at(x, y, c) = gap ? 0 : x < 40 ? 0.9F : 0.2F;
    }
  }
  const core::ImageF before = color;
  fill_screen(color, alpha, disparity, pool);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 90; ++x) {
      if (alpha.at(x, y) == 1) {
        EXPECT_EQ(color.at(x, y, 1), before.at(x, y, 1));
      } else {
        EXPECT_GT(color.at(x, y, 1), 0.15F) << x << ", " << y;
        EXPECT_LT(color.at(x, y, 1), 0.35F) << x << ", " << y;
      }
    }
  }
}

TEST(ScreenFill, LeavesAnEmptyViewBlack) {
  core::ThreadPool pool(1);
  core::ImageF color(5, 4, 3);
  core::ImageF alpha(5, 4, 1);
  core::ImageF disparity(5, 4, 1);
  for (core::ImageF* picture : {&color, &alpha, &disparity}) picture->data.fill(0);
  fill_screen(color, alpha, disparity, pool);
  for (const float value : color.data) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace tessera::models
