// Checks that tests of captures share: projecting known points through a capture's cameras.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/capture.h"

namespace tessera::tests {

inline const core::CaptureView* find_view(const core::Capture& capture, std::string_view name) {
  for (const core::CaptureView& view : capture.views) {
    if (view.name == name) return &view;
  }
  return nullptr;
}

inline math::Vec2<double> project_into(const core::CaptureView& view, math::Vec3<double> point) {
  const core::Rigid& pose = view.cam_from_world;
  return project(lens_of(view.camera), pose.rotation * point + pose.translation);
}

// A line of expect.txt: the point, seen in the named view, lands at the pixel.
struct ExpectedPixel {
  const char* view;
  math::Vec3<double> point;
  math::Vec2<double> pixel;
};

inline void expect_pixel(const core::Capture& capture, const ExpectedPixel& expected) {
  const core::CaptureView* view = find_view(capture, expected.view);
  ASSERT_NE(view, nullptr) << expected.view;
  const math::Vec2<double> pixel = project_into(*view, expected.point);
  constexpr double kTolerance = 1e-3;  // as the reports state it
  EXPECT_NEAR(pixel.x, expected.pixel.x, kTolerance) << expected.view;
  EXPECT_NEAR(pixel.y, expected.pixel.y, kTolerance) << expected.view;
}

}  // namespace tessera::tests
