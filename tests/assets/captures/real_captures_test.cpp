// Whole captures of TESSERA_TEST_DATA that other programs wrote.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assets/captures/capture_reader.h"
#include "assets/photos/photo_cache.h"
#include "tests/assets/captures/capture_support.h"
#include "tests/support/recording_log.h"
#include "tests/support/test_data.h"

namespace tessera::tests {
namespace {

using ::testing::HasSubstr;

TEST(RealCaptures, BananaFromColmapBinary) {
  TESSERA_NEED_TEST_DATA(folder, "banana/undistorted");
  const core::Capture capture = assets::read_capture(folder);
  EXPECT_EQ(capture.kind, "COLMAP");
  ASSERT_EQ(capture.views.size(), 15U);
  EXPECT_EQ(capture.views[0].name, "DSC_0423.JPG");
  EXPECT_GT(capture.points.size(), 1000U);

  core::ThreadPool pool(2);
  RecordingLog log;
  assets::PhotoOptions options;
  options.resolution = 2;
  const auto photos = assets::open_photos(capture, all_views(capture), options, pool, log);
  ASSERT_EQ(photos->count(), 15);
  for (int i = 0; i < photos->count(); ++i) {
    const core::Camera& camera = photos->camera(i).camera;
    EXPECT_EQ(camera.width, 500);
    EXPECT_EQ(camera.height, 332);
    EXPECT_DOUBLE_EQ(camera.fx, capture.views[i].camera.fx / 2);
    const auto photo = photos->photo(i);
    EXPECT_EQ(photo->pixels.width, 500);
    EXPECT_EQ(photo->pixels.height, 332);
    EXPECT_EQ(photo->pixels.channels, 3);
    EXPECT_TRUE(photo->mask.empty());
  }
}

TEST(RealCaptures, FoxFromTransformsWithPhotosMissing) {
  TESSERA_NEED_TEST_DATA(folder, "fox");
  const core::Capture capture = assets::read_capture(folder);
  EXPECT_EQ(capture.kind, "transforms.json");
  EXPECT_EQ(capture.views.size(), 50U);
  ASSERT_EQ(capture.warnings.size(), 1U);
  EXPECT_THAT(capture.warnings[0], HasSubstr("17 of 67 photos are missing"));
  for (const core::CaptureView& view : capture.views) {
    EXPECT_EQ(view.camera.model, core::CameraModel::kOpenCv);
    EXPECT_EQ(view.camera.width, 1080);
    EXPECT_EQ(view.camera.height, 1920);
    EXPECT_DOUBLE_EQ(view.camera.fy, 1374.49);
  }
}

TEST(RealCaptures, LegoFromBlender) {
  TESSERA_NEED_TEST_DATA(folder, "lego_200");
  const core::Capture capture = assets::read_capture(folder);
  EXPECT_EQ(capture.kind, "Blender");
  EXPECT_TRUE(capture.alpha_is_opacity);
  const auto test_views = std::count_if(capture.views.begin(), capture.views.end(),
                                        [](const core::CaptureView& view) { return view.is_test; });
  EXPECT_EQ(test_views, 200);
  EXPECT_EQ(capture.views.size() - test_views, 100U);
  EXPECT_NEAR(capture.views[0].camera.fx, 100 / std::tan(0.6911112070083618 / 2), 1e-9);
}

}  // namespace
}  // namespace tessera::tests
