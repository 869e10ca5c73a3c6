// Where the camera goes: frames of scenes, circles, curves through keyframes.
// SPDX-License-Identifier: MIT
#include "apps/commands/camera_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "apps/commands/scene_frame.h"
#include "apps/commands/scene_view.h"
#include "tests/support/temporary_folder.h"

namespace tessera::apps {
namespace {

using math::Vec3;

void expect_near(Vec3<double> a, Vec3<double> b, double tolerance = 1e-9) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

// Where a point is seen, in pixels.
math::Vec2<double> pixel_of(const core::PosedCamera& posed, Vec3<double> point) {
  const Vec3<double> p = posed.cam_from_world.rotation * point + posed.cam_from_world.translation;
  EXPECT_GT(p.z, 0);
  return {posed.camera.fx * p.x / p.z + posed.camera.cx,
          posed.camera.fy * p.y / p.z + posed.camera.cy};
}

// Twelve cameras around `center`, `height` above it along +z, all looking at it.
std::vector<core::PosedCamera> ring(Vec3<double> center, double radius, double height) {
  std::vector<core::PosedCamera> cameras;
  for (int i = 0; i < 12; ++i) {
    const double angle = i * 0.5;
    const Vec3<double> position =
        center + Vec3<double>{radius * std::cos(angle), radius * std::sin(angle), height};
    cameras.push_back({pinhole(64, 48, 50), look_at(position, center, {0, 0, 1})});
  }
  return cameras;
}

TEST(LookAt, PutsTheTargetInTheMiddleAndUpUpwards) {
  const core::PosedCamera camera = {pinhole(64, 48, 50), look_at({3, 4, 5}, {1, 1, 1}, {0, 0, 1})};
  expect_near(center_in_world(camera.cam_from_world), {3, 4, 5});
  const math::Vec2<double> middle = pixel_of(camera, {1, 1, 1});
  EXPECT_NEAR(middle.x, 32, 1e-9);
  EXPECT_NEAR(middle.y, 24, 1e-9);
  EXPECT_LT(pixel_of(camera, {1, 1, 1.5}).y, 24);
  EXPECT_NEAR(determinant(camera.cam_from_world.rotation), 1, 1e-12);
}

TEST(LookAt, StraightDownIsARotationToo) {
  const core::Rigid pose = look_at({0, 0, 5}, {0, 0, 0}, {0, 0, 1});
  EXPECT_NEAR(determinant(pose.rotation), 1, 1e-12);
}

TEST(SceneFrame, OfARingOfCameras) {
  const SceneFrame frame = frame_from_cameras(ring({5, -2, 1}, 3, 2));
  expect_near(frame.center, {5, -2, 1}, 1e-6);
  // Cameras that look down have their up tilted, each its own way: the mean is upright but for
  // the part of the circle that has no camera.
  EXPECT_GT(frame.up.z, 0.99);
  EXPECT_NEAR(frame.distance, 3, 0.2);
  EXPECT_NEAR(frame.height, 2, 0.3);
}

TEST(SceneFrame, OfParallelCamerasLiesBeforeThem) {
  std::vector<core::PosedCamera> cameras;
  cameras.reserve(3);
  for (int i = 0; i < 3; ++i) {
    cameras.push_back({pinhole(64, 48, 50), look_at({1.0 * i, 0, 0}, {1.0 * i, 0, 5}, {0, -1, 0})});
  }
  const SceneFrame frame = frame_from_cameras(cameras);
  EXPECT_GT(frame.center.z, 0.5);
  expect_near(frame.up, {0, -1, 0}, 1e-9);
}

TEST(SceneFrame, NamesTheVerticalAxis) {
  EXPECT_EQ(vertical_axis_name({0, -1, 0}), "-y");
  EXPECT_EQ(vertical_axis_name({0.1, 0.1, 0.98}), "+z");
  const std::string oblique = vertical_axis_name({0, -0.6, 0.8});
  EXPECT_EQ(oblique, "0 -0.6 0.8");
  expect_near(vertical_axis_direction(oblique), {0, -0.6, 0.8}, 1e-9);
  expect_near(vertical_axis_direction("inf 0 nan"), {0, -1, 0});
}

TEST(Turntable, KeepsItsDistanceAndLooksAtTheCenter) {
  const SceneFrame frame = frame_from_cameras(ring({5, -2, 1}, 3, 2));
  const std::vector<core::PosedCamera> cameras = turntable(frame, pinhole(64, 48, 50), 10);
  ASSERT_EQ(cameras.size(), 10U);
  for (const core::PosedCamera& camera : cameras) {
    const Vec3<double> offset = center_in_world(camera.cam_from_world) - frame.center;
    EXPECT_NEAR(dot(offset, frame.up), frame.height, 1e-9);
    EXPECT_NEAR(std::sqrt(dot(offset, offset)), std::hypot(frame.height, frame.distance), 1e-9);
    EXPECT_NEAR(pixel_of(camera, frame.center).x, 32, 1e-6);
  }
}

TEST(CameraPath, CurveGoesThroughItsKeyframes) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "path.json") << R"({"keyframes": [
    {"position": [0, 0, 0], "look_at": [0, 0, 9]}, {"position": [1, 2, 0], "look_at": [0, 0, 9]},
    {"position": [4, 0, 1], "look_at": [0, 0, 9], "fov_deg": 30}]})";
  const PathFile path =
      read_camera_path(folder / "path.json", pinhole(64, 48, 50), 5, {0, -1, 0}, {0, 0, 0});
  ASSERT_EQ(path.cameras.size(), 5U);
  expect_near(center_in_world(path.cameras[0].cam_from_world), {0, 0, 0});
  expect_near(center_in_world(path.cameras[2].cam_from_world), {1, 2, 0});
  expect_near(center_in_world(path.cameras[4].cam_from_world), {4, 0, 1});
  EXPECT_NEAR(fov_y_deg(path.cameras[3].camera), 40, 1e-9);
}

TEST(CameraPath, NerfstudiosCamerasAreTurnedFromOpenGlAxes) {
  const test::TemporaryFolder folder;
  // At (1, 2, 3), looking along -z with y up.
  std::ofstream(folder / "path.json")
      << R"({"fps": 24, "camera_path": [{"camera_to_world": [1,0,0,1, 0,1,0,2, 0,0,1,3, 0,0,0,1],
             "fov": 60}]})";
  const PathFile path =
      read_camera_path(folder / "path.json", pinhole(64, 48, 50), 1, {0, 1, 0}, {0, 0, 0});
  ASSERT_EQ(path.cameras.size(), 1U);
  EXPECT_EQ(path.frames_per_second, 24);
  EXPECT_NEAR(fov_y_deg(path.cameras[0].camera), 60, 1e-9);
  expect_near(center_in_world(path.cameras[0].cam_from_world), {1, 2, 3});
  const math::Vec2<double> pixel = pixel_of(path.cameras[0], {1, 2.5, -2});
  EXPECT_NEAR(pixel.x, 32, 1e-9);
  EXPECT_LT(pixel.y, 24);
}

TEST(SceneView, ShiftedCamerasSeeShiftedPoints) {
  const core::PosedCamera camera = {pinhole(64, 48, 50), look_at({3, 4, 5}, {1, 1, 1}, {0, 0, 1})};
  const Vec3<double> shift = {10, -20, 5};
  const math::Vec2<double> before = pixel_of(camera, {1.5, 1, 1});
  const math::Vec2<double> after =
      pixel_of(shifted(camera, shift), Vec3<double>{1.5, 1, 1} - shift);
  EXPECT_NEAR(before.x, after.x, 1e-9);
  EXPECT_NEAR(before.y, after.y, 1e-9);
}

TEST(SceneView, OtherShapesAreCutOrExtendedAtTheSides) {
  const core::Camera camera = pinhole(100, 50, 40);
  const core::Camera wide = resized(camera, 400, 100);
  EXPECT_DOUBLE_EQ(wide.fy, 2 * camera.fy);
  EXPECT_DOUBLE_EQ(wide.cx, 200);
  EXPECT_NEAR(fov_y_deg(wide), 40, 1e-9);
  const core::Camera half = resized(camera, 50, 0);
  EXPECT_EQ(half.height, 25);
  EXPECT_DOUBLE_EQ(half.fx, camera.fx / 2);
}

TEST(SceneView, NamesOfPicturesNeverMeet) {
  const std::vector<std::string> names =
      picture_names({"left/1.jpg", "right/1.jpg", "a.jpg", "a.png", "b.c.jpg"});
  EXPECT_EQ(names, (std::vector<std::string>{"left/1.png", "right/1.png", "a.jpg.png", "a.png.png",
                                             "b.c.png"}));
}

}  // namespace
}  // namespace tessera::apps
