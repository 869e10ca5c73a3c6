// Small pieces of a disparity map that float before all around them are unknown; others stay.
// SPDX-License-Identifier: MIT
#include "models/multiplane/disparity_islands.h"

#include <gtest/gtest.h>

namespace tessera::models {
namespace {

void fill(core::ImageF& disparity, core::PixelWindow window, float value) {
  for (int y = window.top; y < window.bottom(); ++y) {
    for (int x = window.left; x < window.right(); ++x) disparity.at(x, y) = value;
  }
}

// A wall, a near board with a shadow of unknown pixels to its left.
core::ImageF board() {
  core::ImageF disparity(100, 60, 1);
  fill(disparity, {0, 0, 100, 60}, 10);
  fill(disparity, {60, 0, 30, 60}, 40);
  fill(disparity, {30, 0, 30, 60}, 0);
  return disparity;
}

constexpr IslandLimits kLimits = {100, 4, 4};

TEST(DisparityIslands, APieceBeforeAllElseIsCleared) {
  core::ImageF disparity = board();
  fill(disparity, {40, 20, 8, 8}, 60);
  fill(disparity, {10, 40, 6, 10}, 25);
  core::ImageF expected = board();
  fill(expected, {10, 40, 6, 10}, 0);
  clear_islands(disparity, kLimits);
  EXPECT_EQ(disparity.data, expected.data);
}

TEST(DisparityIslands, APieceBetweenOrALargeOneStays) {
  core::ImageF disparity = board();
  fill(disparity, {40, 20, 8, 8}, 38);    // may be a part of the board
  fill(disparity, {10, 10, 11, 10}, 60);  // 110 pixels
  fill(disparity, {70, 40, 8, 8}, 43);    // of the board itself
  fill(disparity, {70, 10, 8, 8}, 20);    // seen through it
  const core::ImageF before = disparity;
  clear_islands(disparity, kLimits);
  EXPECT_EQ(disparity.data, before.data);
}

TEST(DisparityIslands, ASlantedSurfaceIsOnePiece) {
  core::ImageF disparity(100, 60, 1);
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < 100; ++x) disparity.at(x, y) = 1 + 3.5F * static_cast<float>(x);
  }
  const core::ImageF before = disparity;
  clear_islands(disparity, kLimits);
  EXPECT_EQ(disparity.data, before.data);
}

}  // namespace
}  // namespace tessera::models
