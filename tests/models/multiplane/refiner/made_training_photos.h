// Photos with depth that a refiner learns on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include "models/multiplane/refiner/warped_photo.h"

namespace tessera::models {

// Color `c` of stripes whose normal is at `angle`.
inline uint8_t stripes(int x, int y, int c, float angle) {
  const float along =
      std::cos(angle) * static_cast<float>(x) + std::sin(angle) * static_cast<float>(y);
  return static_cast<uint8_t>(
      std::lround(128 + 80 * std::sin(0.35F * along + static_cast<float>(c))));
}

// Four squares before a ground: color(x, y, c, square), inverse_depth(x, y, square).
inline TrainingPhoto squares_before_ground(int side, const auto& color, const auto& inverse_depth) {
  TrainingPhoto photo;
  photo.color.resize(side, side, 3);
  photo.inverse_depth.resize(side, side, 1);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const bool square = std::abs(x % 100 - 50) < 22 && std::abs(y % 100 - 50) < 22;
      for (int c = 0; c < 3; ++c) photo.color.at(x, y, c) = color(x, y, c, square);
      photo.inverse_depth.at(x, y) = inverse_depth(x, y, square);
    }
  }
  return photo;
}

inline TrainingPhoto stripes_behind_squares(int side, float angle) {
  return squares_before_ground(
      side,
      [&](int x, int y, int c, bool square) {
        return square ? static_cast<uint8_t>(40 + 60 * c) : stripes(x, y, c, angle);
      },
      [](int, int, bool square) { return square ? 1.0F : 0.3F; });
}

inline std::vector<TrainingPhoto> made_set() {
  return {stripes_behind_squares(200, 0.2F), stripes_behind_squares(200, 1.3F)};
}

}  // namespace tessera::models
