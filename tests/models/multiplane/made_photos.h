// Photos with depth that is a function of the pixel.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "models/multiplane/plan.h"

namespace tessera::models {

// `disparity` (x, y of the pixel's center) is in pixels for a baseline of 1.
inline DepthPhoto made_photo(int width, int height, const auto& disparity) {
  DepthPhoto photo;
  core::Camera& camera = photo.camera.camera;
  camera.width = width;
  camera.height = height;
  camera.fx = 0.9 * width;
  camera.fy = 0.8 * width;
  camera.cx = 0.45 * width;
  camera.cy = 0.55 * height;
  photo.photo.resize(width, height, 3);
  photo.inverse_depth.resize(width, height, 1);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        photo.photo.at(x, y, c) =
            static_cast<uint8_t>(std::lround(127 + 100 * std::sin(0.31 * x + 0.17 * y * (c + 1))));
      }
      photo.inverse_depth.at(x, y) = static_cast<float>(disparity(x + 0.5F, y + 0.5F) / camera.fx);
    }
  }
  return photo;
}

}  // namespace tessera::models
