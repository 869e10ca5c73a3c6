// Clips of a textured wall in which a square passes and a patch flickers, with a period.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "models/multiplane/depth_clip.h"
#include "tests/models/multiplane/made_photos.h"
#include "tests/support/random_scene.h"

namespace tessera::models {

inline constexpr int kClipWidth = 160;
inline constexpr int kClipHeight = 112;
inline constexpr int kClipPeriod = 10;  // frames
inline constexpr core::PixelWindow kFlickering = {96, 64, 40, 32};
inline constexpr float kWallDisparity = 4;  // pixels for a baseline of 1
inline constexpr float kSquareDisparity = 14;

// Of the square in a frame, which goes along the upper half.
inline core::PixelWindow square_in(int frame) {
  const double turn = 2 * std::acos(-1.0) * frame / kClipPeriod;
  return {static_cast<int>(std::lround(64 + 40 * std::sin(turn))), 16, 24, 24};
}

inline bool is_within(const core::PixelWindow& window, int x, int y) {
  return x >= window.left && x < window.right() && y >= window.top && y < window.bottom();
}

inline uint8_t wall_at(int x, int y, int c) {
  return static_cast<uint8_t>(std::lround(120 + 60 * std::sin(0.5 * x + 0.3 * y * (c + 1))));
}

// `square` adds one that is nearer, with depths for each frame; `noise` is a standard deviation.
inline DepthClip made_clip(int frames, bool square, double noise) {
  DepthClip clip;
  const DepthPhoto wall =
      made_photo(kClipWidth, kClipHeight, [](float, float) { return kWallDisparity; });
  clip.camera = wall.camera;
  clip.inverse_depth = {wall.inverse_depth};
  if (square) clip.inverse_depth.clear();
  test::Random random(3);
  for (int i = 0; i < frames; ++i) {
    const core::PixelWindow place = square_in(i);
    core::Image8& frame = clip.frames.emplace_back(kClipWidth, kClipHeight, 3);
    core::ImageF depth = wall.inverse_depth;
    for (int y = 0; y < kClipHeight; ++y) {
      for (int x = 0; x < kClipWidth; ++x) {
        const bool on_square = square && is_within(place, x, y);
        if (on_square) {
          depth.at(x, y) = static_cast<float>(kSquareDisparity / clip.camera.camera.fx);
        }
        for (int c = 0; c < 3; ++c) {
          double value = wall_at(x, y, c);
          if (on_square) value = 40.0 + 5 * ((x - place.left + y) % 16) + 60 * c;
          if (is_within(kFlickering, x, y)) {
            value = 120 + 90 * std::sin(2 * std::acos(-1.0) * i / kClipPeriod + 0.2 * x);
          }
          for (int k = 0; k < 12 && noise > 0; ++k) value += noise * (random.uniform(0, 1) - 0.5);
          frame.at(x, y, c) = static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
        }
      }
    }
    if (square) clip.inverse_depth.push_back(std::move(depth));
  }
  return clip;
}

}  // namespace tessera::models
