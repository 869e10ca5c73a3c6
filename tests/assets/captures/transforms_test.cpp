// transforms.json and Blender captures: the reports' kinds of fault and odd files.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assets/captures/capture_reader.h"
#include "tests/assets/captures/capture_support.h"
#include "tests/support/test_data.h"

namespace tessera::tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

assets::CaptureOptions without_photos() {
  assets::CaptureOptions options;
  options.photos_required = false;
  return options;
}

TEST(Transforms, T01IntrinsicsPerFrame) {
  TESSERA_NEED_TEST_DATA(folder, "reports/T01");
  const core::Capture capture = assets::read_capture(folder / "per_frame");
  ASSERT_EQ(capture.views.size(), 8U);
  const core::Capture colmap = assets::read_capture(folder / "colmap");
  for (const ExpectedPixel& expected : expected_pixels(folder / "expect.txt")) {
    const math::Vec2<double> pixel =
        project_into(*find_view(capture, "images/" + expected.view), expected.point);
    EXPECT_NEAR(pixel.x, expected.pixel.x, 1e-3) << expected.view;
    EXPECT_NEAR(pixel.y, expected.pixel.y, 1e-3) << expected.view;
  }
  expect_pixels(colmap, folder / "expect.txt", 8);
  ASSERT_EQ(capture.points.size(), 240U);
  EXPECT_NEAR(capture.points[0].position.x, 1.470011, 1e-6);
  EXPECT_EQ(capture.points[0].rgb[0], colmap.points[0].rgb[0]);
}

TEST(Transforms, T03AnAngleIsEnough) {
  TESSERA_NEED_TEST_DATA(folder, "reports/T03/angle_only");
  const core::Capture capture = assets::read_capture(folder);
  ASSERT_EQ(capture.views.size(), 8U);
  const core::Camera& camera = capture.views[0].camera;
  EXPECT_EQ(camera.width, 64);
  EXPECT_EQ(camera.height, 48);
  EXPECT_NEAR(camera.fx, 60, 1e-4);
  EXPECT_NEAR(camera.fy, 60, 1e-4);
  EXPECT_DOUBLE_EQ(camera.cx, 32);
  EXPECT_DOUBLE_EQ(camera.cy, 24);
}

TEST(Transforms, T03NoIntrinsicsAreRefusedNamingTheFields) {
  TESSERA_NEED_TEST_DATA(folder, "reports/T03/nothing");
  EXPECT_THAT(error_of([&] { assets::read_capture(folder); }),
              AllOf(HasSubstr("transforms.json"), HasSubstr("fl_x"), HasSubstr("camera_angle_x")));
}

TEST(Transforms, T05BlenderGivesTrainingAndTestViews) {
  TESSERA_NEED_TEST_DATA(folder, "reports/T05");
  const core::Capture capture = assets::read_capture(folder);
  EXPECT_EQ(capture.kind, "Blender");
  EXPECT_TRUE(capture.alpha_is_opacity);
  const auto tests = std::count_if(capture.views.begin(), capture.views.end(),
                                   [](const core::CaptureView& view) { return view.is_test; });
  EXPECT_EQ(tests, 3);
  EXPECT_EQ(capture.views.size(), 11U);
  EXPECT_EQ(find_view(capture, "train/r_0")->image_path, folder / "train/r_0.png");
}

TEST(Transforms, T07PosesGoWithTheFilesTheyName) {
  TESSERA_NEED_TEST_DATA(folder, "reports/T07");
  const core::Capture fewer_frames = assets::read_capture(folder / "fewer_frames");
  EXPECT_EQ(fewer_frames.views.size(), 6U);
  for (const core::CaptureView& view : fewer_frames.views) {
    EXPECT_EQ(view.image_path, folder / "fewer_frames" / view.name);
  }
  const core::Capture fewer_files = assets::read_capture(folder / "fewer_files");
  EXPECT_EQ(fewer_files.views.size(), 6U);
  EXPECT_THAT(fewer_files.warnings,
              ElementsAre(AllOf(HasSubstr("2 of 8 photos"), HasSubstr("frame_00002.png"),
                                HasSubstr("frame_00005.png"))));
  // The frame behind the gap keeps its own pose.
  EXPECT_DOUBLE_EQ(find_view(fewer_files, "images/frame_00007.png")->cam_from_world.translation.x,
                   find_view(fewer_frames, "images/frame_00007.png")->cam_from_world.translation.x);
}

TEST(Transforms, EquirectangularIsRefusedInWords) {
  TESSERA_NEED_TEST_DATA(file, "odd/transforms/lichtfeld_equirectangular.json");
  EXPECT_THAT(error_of([&] { assets::read_capture(file, without_photos()); }),
              AllOf(HasSubstr("EQUIRECTANGULAR"), HasSubstr("panoramas")));
}

TEST(Transforms, NerfstudioSharedIntrinsicsInFallingOrder) {
  TESSERA_NEED_TEST_DATA(file, "odd/transforms/nerfstudio_opencv_shared.json");
  const core::Capture capture = assets::read_capture(file, without_photos());
  ASSERT_EQ(capture.views.size(), 2U);
  EXPECT_EQ(capture.views[0].name, "images/frame_00301.png");
  const core::Camera& camera = capture.views[0].camera;
  EXPECT_EQ(camera.model, core::CameraModel::kOpenCv);
  EXPECT_DOUBLE_EQ(camera.distortion[2], 0.0008874401497774508);
  const math::Vec3<double> center = core::center_in_world(capture.views[0].cam_from_world);
  EXPECT_NEAR(center.x, 2.8197375022232541, 1e-6);
  EXPECT_NEAR(center.z, 1.6214530541445769, 1e-6);
}

TEST(Transforms, IntrinsicsInsideFramesAndNamesWithDots) {
  TESSERA_NEED_TEST_DATA(file, "odd/transforms/per_frame_intrinsics_unordered.json");
  const core::Capture capture = assets::read_capture(file, without_photos());
  EXPECT_NE(find_view(capture, "images/robot/000001-color.png"), nullptr);
  EXPECT_DOUBLE_EQ(find_view(capture, "images/robot/000002-color.png")->camera.fy,
                   604.6814577491907);
}

TEST(Transforms, K04MasksNamedByTheFile) {
  TESSERA_NEED_TEST_DATA(folder, "reports/K04/mask_path");
  const core::Capture capture = assets::read_capture(folder);
  for (const core::CaptureView& view : capture.views) EXPECT_FALSE(view.mask_path.empty());
}

}  // namespace
}  // namespace tessera::tests
