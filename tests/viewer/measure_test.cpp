// Lengths, the ground by three points, the scale by a known length.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/viewer_fixture.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::HasSubstr;

double length(math::Vec3<double> v) {
  return std::sqrt(dot(v, v));
}

TEST(Measure, ClicksSetPointsOnWhatIsSeen) {
  DrivenViewer d;
  d.run("open points.ply");
  d.run("camera 0 0 -1 0 0 2");
  d.key("M");
  const ViewRect view = d.viewer.view_rect();
  const math::Vec3<double> truth[] = {{0, 0, 2}, {1, 0, 3}};
  for (const math::Vec3<double>& point : truth) {
    const math::Vec3<double> pixel =
        projection_of(d.viewer.camera().camera(), view.width, view.height, 10).pixel_of(point);
    d.move(view.x + pixel.x, view.y + pixel.y);
    d.button(MouseButton::kLeft, true, view.x + pixel.x, view.y + pixel.y);
    d.button(MouseButton::kLeft, false, view.x + pixel.x, view.y + pixel.y);
  }
  ASSERT_EQ(d.viewer.measured().size(), 2U);
  for (int i = 0; i < 2; ++i) EXPECT_LT(length(d.viewer.measured()[i] - truth[i]), 0.02);
  d.drag(MouseButton::kLeft, view.x + 5, view.y + 5, view.x + 30, view.y + 5);
  EXPECT_EQ(d.viewer.measured().size(), 2U) << "nothing is there";
}

TEST(Measure, AKnownLengthScalesAllAndIsUndone) {
  DrivenViewer d;
  d.run("open made.ply points.ply");
  d.run("measure point 0 0 2");
  d.run("measure point 1 0 3");
  d.run("measure length 5");
  const double scale = 5 / std::sqrt(2.0);
  for (const SceneItem& item : d.viewer.items()) EXPECT_NEAR(item.placement.scale, scale, 1e-12);
  EXPECT_NEAR(length(d.viewer.measured()[1] - d.viewer.measured()[0]), 5, 1e-12);
  const math::Vec3<double> fixed = d.viewer.items()[1].placement({0, 0, 2});
  EXPECT_LT(length(fixed - math::Vec3<double>{0, 0, 2}), 1e-12);
  d.run("undo");
  EXPECT_EQ(d.viewer.items()[0].placement, core::Similarity{});
}

TEST(Measure, ThreePointsAreTheGround) {
  DrivenViewer d;
  d.run("open points.ply");
  d.run("camera 0 0 -1 0 0 2");
  for (const char* point : {"0 0 2", "1 0 2", "0 1 2"})
    d.run(std::string("measure point ") + point);
  d.run("measure ground");
  EXPECT_LT(length(d.viewer.camera().up() - math::Vec3<double>{0, 0, -1}), 1e-9);
}

TEST(Measure, TooFewPointsAreNamed) {
  DrivenViewer d;
  d.run("open points.ply");
  d.run("measure point 0 0 2");
  for (const auto& [line, words] :
       {std::pair{"measure length 2", "2 measured points are needed, and there are 1"},
        std::pair{"measure ground", "3 measured points are needed"},
        std::pair{"measure angle", "is by point, clear, length or ground"}}) {
    try {
      d.viewer.run(line);
      ADD_FAILURE() << line << " was not refused";
    } catch (const core::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
}

}  // namespace
}  // namespace tessera::viewer
