// Undistorted photos against what a pinhole camera at the same place took.
// SPDX-License-Identifier: MIT
#include "assets/photos/undistort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assets/captures/capture_reader.h"
#include "assets/photos/image_io.h"
#include "assets/photos/photo_cache.h"
#include "tests/assets/captures/capture_support.h"
#include "tests/support/recording_log.h"
#include "tests/support/test_data.h"

namespace tessera::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// Mean squared difference between a photo and what `truth`, taken from the same place, shows along
// the same rays; both sampled at pixel centers, bilinear in truth.
double mean_squared_difference(const core::Photo& photo, const core::Camera& camera,
                               const core::Image8& truth, const core::Camera& truth_camera) {
  double sum = 0;
  int64_t count = 0;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      if (!photo.mask.empty() && photo.mask.at(x, y) == 0) continue;
      const double u = (x + 0.5 - camera.cx) / camera.fx * truth_camera.fx + truth_camera.cx - 0.5;
      const double v = (y + 0.5 - camera.cy) / camera.fy * truth_camera.fy + truth_camera.cy - 0.5;
      const int left = static_cast<int>(std::floor(u));
      const int top = static_cast<int>(std::floor(v));
      if (left < 0 || top < 0 || left + 1 >= truth.width || top + 1 >= truth.height) continue;
      for (int c = 0; c < 3; ++c) {
        const double value = (1 - (v - top)) * ((1 - (u - left)) * truth.at(left, top, c) +
                                                (u - left) * truth.at(left + 1, top, c)) +
                             (v - top) * ((1 - (u - left)) * truth.at(left, top + 1, c) +
                                          (u - left) * truth.at(left + 1, top + 1, c));
        const double difference = value - photo.pixels.at(x, y, c);
        sum += difference * difference;
        ++count;
      }
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 1e9;
}

TEST(Undistort, C01EachModelsPhotoBecomesWhatThePinholeCameraTook) {
  TESSERA_NEED_TEST_DATA(report, "reports/C01");
  const core::Capture distorted = assets::read_capture(report / "distorted");
  const core::Capture pinhole = assets::read_capture(report / "pinhole");
  core::ThreadPool pool(2);
  RecordingLog log;
  const auto photos = assets::open_photos(distorted, all_views(distorted), {}, pool, log);
  for (int i = 0; i < photos->count(); ++i) {
    const core::Camera& camera = photos->camera(i).camera;
    EXPECT_EQ(camera.model, core::CameraModel::kPinhole);
    EXPECT_DOUBLE_EQ(camera.fx, distorted.views[i].camera.fx);
    const core::CaptureView& truth = *find_view(pinhole, photos->name(i));
    const core::Image8 truth_image = assets::read_image(truth.image_path);
    const double undistorted =
        mean_squared_difference(*photos->photo(i), camera, truth_image, truth.camera);
    // What two resamplings of 64 x 48 pixels cost; a distortion ignored gives 24 to 30 dB for most.
    constexpr double kLeastPsnr = 34;
    EXPECT_GT(10 * std::log10(255.0 * 255.0 / undistorted), kLeastPsnr)
        << core::name_of(distorted.views[i].camera.model);
  }
}

core::Camera fisheye() {
  core::Camera camera;
  camera.model = core::CameraModel::kOpenCvFisheye;
  camera.width = 848;
  camera.height = 880;
  camera.fx = 284.981;
  camera.fy = 286.102;
  camera.cx = 425.244;
  camera.cy = 398.468;
  camera.distortion = {-0.007305, 0.0435, -0.041283, 0.007652};
  return camera;
}

TEST(Undistort, WideFieldsOfViewAreCroppedTo120Degrees) {
  const assets::PinholeCamera pinhole = assets::pinhole_of(fisheye());
  EXPECT_TRUE(pinhole.cropped);
  const core::Camera& camera = pinhole.camera;
  EXPECT_DOUBLE_EQ(camera.fx, 284.981);
  EXPECT_NEAR(std::atan(camera.cx / camera.fx) * 180 / M_PI, 60, 0.1);
  EXPECT_NEAR(std::atan((camera.width - camera.cx) / camera.fx) * 180 / M_PI, 60, 0.1);
}

TEST(Undistort, OrdinaryLensesKeepAllOfThePhoto) {
  core::Camera camera = fisheye();
  camera.model = core::CameraModel::kSimpleRadial;
  camera.fx = camera.fy = 900;
  camera.distortion = {-0.18};
  const assets::PinholeCamera pinhole = assets::pinhole_of(camera);
  EXPECT_FALSE(pinhole.cropped);
  const math::Lens<double> lens = lens_of(camera);
  for (const math::Vec2<double> corner : {math::Vec2<double>{0, 0}, math::Vec2<double>{848, 880}}) {
    math::Vec2<double> ray{};
    ASSERT_TRUE(unproject(lens, corner, ray));
    const double x = ray.x * pinhole.camera.fx + pinhole.camera.cx;
    const double y = ray.y * pinhole.camera.fy + pinhole.camera.cy;
    EXPECT_GE(x, -0.5);
    EXPECT_LE(x, pinhole.camera.width + 0.5);
    EXPECT_GE(y, -0.5);
    EXPECT_LE(y, pinhole.camera.height + 0.5);
  }
}

TEST(Undistort, PixelsWithoutASourceAreMasked) {
  core::Photo photo;
  core::Camera camera = fisheye();
  photo.pixels = core::Image8(camera.width, camera.height, 3);
  photo.pixels.data.fill(77);
  camera.model = core::CameraModel::kSimpleRadial;
  camera.fx = camera.fy = 600;
  camera.distortion = {-0.1};
  const core::Camera pinhole = assets::pinhole_of(camera).camera;
  const core::Photo undistorted = assets::undistort(photo, camera, pinhole);
  EXPECT_EQ(undistorted.mask.at(pinhole.width / 2, 0), 0);  // barrel: the edges' middles are empty
  EXPECT_EQ(undistorted.mask.at(pinhole.width / 2, pinhole.height / 2), 255);
  for (int64_t i = 0; i < undistorted.pixels.pixel_count(); ++i) {
    EXPECT_EQ(undistorted.pixels.data[3 * i], undistorted.mask.data[i] == 255 ? 77 : 0);
  }
}

TEST(Undistort, ZeroDistortionChangesNothingButTheName) {
  core::Camera camera = fisheye();
  camera.model = core::CameraModel::kOpenCv;
  camera.distortion = {};
  const assets::PinholeCamera pinhole = assets::pinhole_of(camera);
  camera.model = core::CameraModel::kPinhole;
  EXPECT_EQ(pinhole.camera, camera);
}

TEST(Undistort, NewIntrinsicsAreStated) {
  TESSERA_NEED_TEST_DATA(report, "reports/C01/distorted");
  const core::Capture capture = assets::read_capture(report);
  core::ThreadPool pool(1);
  RecordingLog log;
  assets::open_photos(capture, {2}, {}, pool, log);
  EXPECT_THAT(log.infos,
              Contains(AllOf(HasSubstr("SIMPLE_RADIAL 64 x 48"), HasSubstr("fx 60.00"))));

  assets::PhotoOptions native;
  native.native_camera = true;
  const auto photos = assets::open_photos(capture, {2}, native, pool, log);
  EXPECT_EQ(photos->camera(0).camera, capture.views[2].camera);
}

}  // namespace
}  // namespace tessera::tests
