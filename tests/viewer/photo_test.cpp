// Photos of captures in the viewer: going to one, by name, by key, by its pyramid; comparing it
// with the scene.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/viewer_fixture.h"
#include "viewer/scene/exact.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::HasSubstr;

core::Image8 flat(int width, int height, std::array<uint8_t, 3> rgb) {
  core::Image8 image(width, height, 3);
  for (int64_t i = 0; i < image.data.size(); ++i) image.data[i] = rgb[i % 3];
  return image;
}

std::array<int, 3> pixel(const core::Image8& image, int x, int y) {
  return {image.at(x, y, 0), image.at(x, y, 1), image.at(x, y, 2)};
}

using Rgb = std::array<int, 3>;

TEST(Comparison, ShowsRenderAndPhoto) {
  const core::Image8 render = flat(10, 4, {200, 100, 0}), photo = flat(10, 4, {50, 110, 30});
  EXPECT_EQ(compare(Comparison::kOff, render, photo, {}, 0.5), render);
  const core::Image8 side = compare(Comparison::kSideBySide, render, photo, {}, 0.5);
  EXPECT_EQ(side.width, 20);
  EXPECT_EQ(pixel(side, 9, 3), (Rgb{200, 100, 0}));
  EXPECT_EQ(pixel(side, 10, 0), (Rgb{50, 110, 30}));
  const core::Image8 split = compare(Comparison::kSplit, render, photo, {}, 0.3);
  EXPECT_EQ(pixel(split, 2, 1), (Rgb{200, 100, 0}));
  EXPECT_EQ(pixel(split, 3, 1), (Rgb{50, 110, 30}));
  EXPECT_EQ(compare(Comparison::kSplit, render, photo, {}, 1), render);
  EXPECT_EQ(compare(Comparison::kSplit, render, photo, {}, 0), photo);
  EXPECT_EQ(pixel(compare(Comparison::kDifference, render, photo, {}, 0), 5, 2),
            (Rgb{150, 10, 30}));
}

// Black to yellow with the error, gray where the photo says nothing.
TEST(Comparison, ErrorsGrowBrighter) {
  core::Image8 render = flat(3, 1, {100, 100, 100}), mask(3, 1, 1);
  mask.data.fill(255);
  mask.data[2] = 0;
  core::Image8 photo = render;
  for (int c = 0; c < 3; ++c) photo.at(1, 0, c) = 200;
  const core::Image8 error = compare(Comparison::kError, render, photo, mask, 0);
  EXPECT_LT(pixel(error, 0, 0)[0], 10);
  EXPECT_GT(pixel(error, 1, 0)[0], 200);
  EXPECT_EQ(pixel(error, 2, 0), (Rgb{110, 110, 110}));
}

TEST(PhotoPlaces, ACameraThatMovedWithItsItemSeesTheSame) {
  core::PosedCamera camera = test::pinhole_camera(64, 48);
  camera.cam_from_world.rotation =
      math::rotation_from_quaternion(math::Vec4<double>{std::cos(0.2), 0, std::sin(0.2), 0});
  camera.cam_from_world.translation = {0.3, -0.1, 0.5};
  core::Similarity placement;
  placement.scale = 2.5;
  placement.rotation =
      math::rotation_from_quaternion(math::Vec4<double>{std::cos(0.4), std::sin(0.4), 0, 0});
  placement.translation = {4, 5, 6};
  const math::Vec3<double> point = {0.2, 0.4, 3};
  const math::Vec3<double> before = projection_of(camera).pixel_of(point);
  const math::Vec3<double> after =
      projection_of(in_world(camera, placement)).pixel_of(placement(point));
  EXPECT_NEAR(after.x, before.x, 1e-9);
  EXPECT_NEAR(after.y, before.y, 1e-9);
  EXPECT_NEAR(after.z, 2.5 * before.z, 1e-9);
}

TEST(Photos, KeysGoFromOneToTheNextAroundTheEnd) {
  DrivenViewer d;
  d.run("open capture");
  for (const double x : {0.0, 0.5, 1.0, 0.0}) {
    d.key("]");
    EXPECT_NEAR(d.viewer.camera().target().center.x, x, 1e-9);
  }
  d.key("[");
  EXPECT_NEAR(d.viewer.camera().target().center.x, 1.0, 1e-9);
  EXPECT_EQ(d.viewer.photo()->view, 2);
}

TEST(Photos, AClickOnAPyramidGoesThere) {
  DrivenViewer d;
  d.run("open capture");
  d.run("camera 0.5 0 -4 0.5 0 2");
  const ViewRect view = d.viewer.view_rect();
  const Projection seen = projection_of(d.viewer.camera().camera(), view.width, view.height, 10);
  const auto& capture = std::get<CaptureContent>(d.viewer.items()[0].content);
  const core::CaptureView& wanted = capture.capture->views[1];
  const auto corners =
      frustum_corners({wanted.camera, wanted.cam_from_world}, capture.frustum_length);
  const math::Vec3<double> middle = seen.pixel_of(0.5 * (corners[0] + corners[2]));
  const double x = middle.x + view.x, y = middle.y + view.y;
  d.move(x, y);
  ASSERT_TRUE(d.viewer.hovered_photo().has_value());
  EXPECT_EQ(d.viewer.hovered_photo()->place.view, 1);
  d.button(MouseButton::kLeft, true, x, y);
  d.button(MouseButton::kLeft, false, x, y);
  d.settle();
  EXPECT_EQ(d.viewer.photo()->view, 1);
  EXPECT_NEAR(d.viewer.camera().camera().center.x, 0.5, 1e-9);
  EXPECT_NEAR(d.viewer.camera().camera().center.z, 0, 1e-9);
}

// The made photos are gray, so that all of the error is known.
TEST(Photos, ComparedWithTheSceneFromTheirCamera) {
  DrivenViewer d;
  d.run("open made.ply");
  d.run("open capture");
  d.run("compare split 0");
  const core::Image8 photo = d.viewer.picture(64, 48);
  EXPECT_EQ(pixel(photo, 32, 24), (Rgb{128, 128, 128}));
  d.run("compare split 1");
  const core::Image8 render = d.viewer.picture(64, 48);
  const std::vector<SceneItem> scene = {d.viewer.items()[0]};
  const core::Image8 exact = draw_exactly(scene, test::pinhole_camera(64, 48), {});
  double squares = 0, squares_to_exact = 0;
  for (int64_t i = 0; i < render.data.size(); ++i) {
    squares += std::pow((render.data[i] - 128) / 255.0, 2);
    squares_to_exact += std::pow((render.data[i] - exact.data[i]) / 255.0, 2);
  }
  const auto values = static_cast<double>(render.data.size());
  EXPECT_GT(10 * std::log10(values / squares_to_exact), 45);
  d.run("compare error");
  d.viewer.picture(64, 48);
  ASSERT_TRUE(d.viewer.compared_psnr().has_value());
  EXPECT_NEAR(*d.viewer.compared_psnr(), 10 * std::log10(values / squares), 0.01);
}

TEST(Photos, AMovedCameraEndsAComparisonAndADragMovesASplit) {
  DrivenViewer d;
  d.run("open made.ply");
  d.run("open capture");
  d.run("compare split 0.5");
  const ViewRect view = d.viewer.view_rect();
  d.drag(MouseButton::kLeft, d.middle_x(), d.middle_y(), d.middle_x() - 0.25 * view.width,
         d.middle_y());
  EXPECT_NEAR(d.viewer.split(), 0.25, 1e-6);
  EXPECT_EQ(d.viewer.comparison(), Comparison::kSplit);
  d.run("compare difference");
  d.drag(MouseButton::kLeft, d.middle_x(), d.middle_y(), d.middle_x() + 40, d.middle_y());
  EXPECT_EQ(d.viewer.comparison(), Comparison::kOff);
}

TEST(Photos, ThatCannotBeReadSayWhy) {
  DrivenViewer d;
  d.run("open capture");
  d.run("view \"photo 2\"");
  d.viewer.run("compare side");
  d.settle();
  ASSERT_FALSE(d.viewer.notices().empty());
  EXPECT_THAT(d.viewer.notices().back().text, HasSubstr("photo 2: is broken"));
  EXPECT_EQ(d.viewer.comparison(), Comparison::kOff);
  EXPECT_THROW(d.viewer.run("compare both"), core::UsageError);
}

// A split that moves shows the same render; an edit shows another.
TEST(Photos, AnEditIsSeenInAComparison) {
  DrivenViewer d;
  d.run("open capture");
  d.run("open made.ply");
  d.run("compare split 1");
  const core::Image8 before = d.viewer.picture(64, 48);
  d.run("compare split 0.5");
  const core::Image8 half = d.viewer.picture(64, 48);
  EXPECT_EQ(pixel(half, 10, 20), pixel(before, 10, 20));
  EXPECT_EQ(pixel(half, 50, 20), (Rgb{128, 128, 128}));
  d.run("select all");
  d.run("delete");
  d.run("compare split 1");
  const core::Image8 after = d.viewer.picture(64, 48);
  EXPECT_NE(pixel(before, 32, 24), (Rgb{0, 0, 0}));
  EXPECT_EQ(pixel(after, 32, 24), (Rgb{0, 0, 0}));
}

TEST(Photos, NoneAreOpen) {
  DrivenViewer d;
  d.run("open made.ply");
  EXPECT_THROW(d.viewer.run("compare side"), core::Error);
  EXPECT_THROW(d.viewer.run("photo next"), core::Error);
}

}  // namespace
}  // namespace tessera::viewer
