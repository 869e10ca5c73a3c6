// Checks that tests of captures share: projecting known points through a capture's cameras.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture.h"
#include "core/error.h"

namespace tessera::tests {

inline const core::CaptureView* find_view(const core::Capture& capture, std::string_view name) {
  for (const core::CaptureView& view : capture.views) {
    if (view.name == name) return &view;
  }
  return nullptr;
}

inline std::vector<int> all_views(const core::Capture& capture) {
  std::vector<int> views(capture.views.size());
  for (size_t i = 0; i < views.size(); ++i) views[i] = static_cast<int>(i);
  return views;
}

inline math::Vec2<double> project_into(const core::CaptureView& view, math::Vec3<double> point) {
  const core::Rigid& pose = view.cam_from_world;
  return project(lens_of(view.camera), pose.rotation * point + pose.translation);
}

// The point, seen in the named view, lands at the pixel.
struct ExpectedPixel {
  std::string view;
  math::Vec3<double> point;
  math::Vec2<double> pixel;
};

// The lines "NAME point ID at (X, Y, Z) -> (U, V)" of a report's expect.txt.
inline std::vector<ExpectedPixel> expected_pixels(const std::filesystem::path& expect_txt) {
  std::vector<ExpectedPixel> pixels;
  std::ifstream file(expect_txt);
  for (std::string line; std::getline(file, line);) {
    char name[64];
    ExpectedPixel p;
    if (std::sscanf(line.c_str(), " %63s point %*d at (%lf, %lf, %lf) -> (%lf, %lf)", name,
                    &p.point.x, &p.point.y, &p.point.z, &p.pixel.x, &p.pixel.y) == 6) {
      p.view = name;
      pixels.push_back(p);
    }
  }
  return pixels;
}

// Holds every pixel of `expect_txt` against the capture; `count` is how many there are.
inline void expect_pixels(const core::Capture& capture, const std::filesystem::path& expect_txt,
                          size_t count) {
  const std::vector<ExpectedPixel> pixels = expected_pixels(expect_txt);
  ASSERT_EQ(pixels.size(), count) << expect_txt;
  for (const ExpectedPixel& expected : pixels) {
    const core::CaptureView* view = find_view(capture, expected.view);
    ASSERT_NE(view, nullptr) << expected.view;
    const math::Vec2<double> pixel = project_into(*view, expected.point);
    constexpr double kTolerance = 1e-3;  // as the reports state it
    EXPECT_NEAR(pixel.x, expected.pixel.x, kTolerance) << expected.view;
    EXPECT_NEAR(pixel.y, expected.pixel.y, kTolerance) << expected.view;
  }
}

// What the error says that `call` throws; empty if it throws none.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const core::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace tessera::tests
