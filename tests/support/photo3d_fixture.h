// A photo with its depth, and `tessera photo3d` run on files in a folder of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assets/photos/image_io.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {

// A textured ground that rises to a textured wall with a square standing before it.
inline constexpr int kWidth = 160;
inline constexpr int kHeight = 120;

inline double depth_at(int x, int y) {
  if (std::abs(x - 60) < 20 && y > 30 && y < 90) return 1.5;
  const double v = (y + 0.5 - 0.5 * kHeight) / kWidth;
  return v > 0 ? std::min(4.0, 0.9 / v) : 4.0;
}

inline core::Image8 photo() {
  core::Image8 image(kWidth, kHeight, 3);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const bool square = depth_at(x, y) == 1.5;
      for (int c = 0; c < 3; ++c) {
        const double wave = std::sin(0.7 * x + 0.3 * y + c) + std::sin(0.23 * x - 0.5 * y);
        image.at(x, y, c) = static_cast<uint8_t>(std::lround((square ? 170 : 90) + 30 * wave));
      }
    }
  }
  return image;
}

inline assets::Image16 depth_in_millimeters() {
  assets::Image16 depth(kWidth, kHeight, 1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      depth.at(x, y) = static_cast<uint16_t>(std::lround(1000 * depth_at(x, y)));
    }
  }
  return depth;
}

class Photo3dTest : public testing::Test {
 protected:
  void SetUp() override {
    assets::write_image(folder_ / "photo.png", photo());
    assets::write_image(folder_ / "depth.png", depth_in_millimeters());
  }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  static ProgramEnd photo3d(std::vector<std::string> words) {
    words.insert(words.begin(), "photo3d");
    return run_program(words);
  }
  nlohmann::json figures(const std::string& run) const {
    return nlohmann::json::parse(text_of(folder_ / run / "photo3d.json"));
  }

  TemporaryFolder folder_;
};

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

}  // namespace tessera::test
