// Gaps are filled from what is around them, and the rest is left alone.
// SPDX-License-Identifier: MIT
#include "models/multiplane/pull_push.h"

#include <gtest/gtest.h>

namespace tessera::models {
namespace {

TEST(PullPush, KeepsWhatIsKnownAndStaysWithinItsColors) {
  core::ThreadPool pool(3);
  core::ImageF picture(37, 21, 4);
  picture.data.fill(0);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      if (x > 9 && x < 25) continue;
      picture.at(x, y, 0) = x < 20 ? 0.2F : 0.8F;
      picture.at(x, y, 3) = 1;
    }
  }
  const core::ImageF before = picture;
  PullPush(pool).fill(picture);
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      EXPECT_NEAR(picture.at(x, y, 3), 1, 1e-5F);
      if (before.at(x, y, 3) == 1) {
        EXPECT_EQ(picture.at(x, y, 0), before.at(x, y, 0));
      } else {
        EXPECT_GE(picture.at(x, y, 0), 0.2F - 1e-5F);
        EXPECT_LE(picture.at(x, y, 0), 0.8F + 1e-5F);
      }
    }
    EXPECT_LT(picture.at(10, y, 0), picture.at(24, y, 0));
  }
}

TEST(PullPush, SpreadsOnePixel) {
  core::ThreadPool pool(1);
  core::ImageF picture(9, 5, 4);
  picture.data.fill(0);
  for (int c = 0; c < 4; ++c) picture.at(7, 4, c) = c == 3 ? 0.25F : 0.125F;
  PullPush(pool).fill(picture);
  for (const float value : {picture.at(0, 0, 0), picture.at(7, 4, 1), picture.at(8, 0, 2)}) {
    EXPECT_NEAR(value, 0.5F, 1e-5F);
  }
}

TEST(PullPush, LeavesNothingWhereNothingIs) {
  core::ThreadPool pool(1);
  core::ImageF picture(3, 1, 4);
  picture.data.fill(0);
  PullPush(pool).fill(picture);
  for (const float value : picture.data) EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace tessera::models
