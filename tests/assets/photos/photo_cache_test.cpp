// Sets of photos: sizes, masks, alpha, undistortion, bad files, budgets.
// SPDX-License-Identifier: MIT
#include "assets/photos/photo_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "assets/captures/capture_reader.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "tests/assets/captures/capture_support.h"
#include "tests/support/recording_log.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class Photos : public ::testing::Test {
 protected:
  std::unique_ptr<assets::PhotoStore> open(const core::Capture& capture) {
    return assets::open_photos(capture, all_views(capture), options, pool, log);
  }
  std::unique_ptr<assets::PhotoStore> open(const fs::path& capture) {
    return open(assets::read_capture(capture));
  }
  // A capture of one view over a picture and, if given, a mask, seen by a pinhole camera.
  core::Capture made(const core::Image8& image, const core::Image8& mask = {}) const {
    core::Capture capture;
    capture.folder = folder.path();
    capture.views.resize(1);
    core::CaptureView& view = capture.views[0];
    view.name = "a.png";
    view.image_path = folder / "a.png";
    assets::write_image(view.image_path, image);
    if (!mask.empty()) {
      view.mask_path = folder / "mask.png";
      assets::write_image(view.mask_path, mask);
    }
    view.camera.width = image.width;
    view.camera.height = image.height;
    view.camera.fx = view.camera.fy = 50;
    view.camera.cx = image.width / 2.0;
    view.camera.cy = image.height / 2.0;
    return capture;
  }
  // Views of 40 x 30 pixels, the i-th of gray 5 i.
  core::Capture grays(int count) const {
    core::Capture capture;
    for (int i = 0; i < count; ++i) {
      core::Image8 image(40, 30, 3);
      image.data.fill(static_cast<uint8_t>(5 * i));
      core::Capture one = made(image);
      core::CaptureView& view = one.views[0];
      view.name = std::to_string(i) + ".png";
      fs::rename(view.image_path, folder / view.name);
      view.image_path = folder / view.name;
      capture.views.push_back(view);
    }
    return capture;
  }

  test::TemporaryFolder folder;
  assets::PhotoOptions options;
  core::ThreadPool pool{2};
  RecordingLog log;
};

TEST_F(Photos, ShrinkingAveragesOverTheAreaCovered) {
  core::Image8 image(3, 2, 3);
  const uint8_t values[] = {0, 60, 120, 30, 90, 240};
  for (int i = 0; i < 6; ++i) std::fill_n(image.data.data() + 3 * i, 3, values[i]);
  options.resolution = 2;
  const auto photos = open(made(image));
  const auto photo = photos->photo(0);
  ASSERT_EQ(photo->pixels.width, 2);
  ASSERT_EQ(photo->pixels.height, 1);
  // Each new pixel covers one and a half old ones in x, two in y.
  EXPECT_EQ(photo->pixels.at(0, 0), std::lround((0 + 30 + 0.5 * (60 + 90)) / 3));
  EXPECT_EQ(photo->pixels.at(1, 0), std::lround((120 + 240 + 0.5 * (60 + 90)) / 3));
  EXPECT_DOUBLE_EQ(photos->camera(0).camera.fx, 50.0 * 2 / 3);
  EXPECT_DOUBLE_EQ(photos->camera(0).camera.fy, 25);
}

TEST_F(Photos, WidthsAndLimits) {
  const core::Capture capture = made(core::Image8(64, 48, 3));
  options.resolution = 40;
  EXPECT_EQ(open(capture)->camera(0).camera.height, 30);
  options.resolution = 1000;  // never enlarged
  EXPECT_EQ(open(capture)->camera(0).camera.width, 64);
  options.max_resolution = 32;
  EXPECT_EQ(open(capture)->camera(0).camera.height, 24);
  for (const int resolution : {0, -1, 3, 5}) {
    options.resolution = resolution;
    EXPECT_THROW(open(capture), core::UsageError) << resolution;
  }
}

TEST_F(Photos, TheLimitIsOfTheLongerSideToThePixel) {
  const core::Capture tall = made(core::Image8(108, 192, 3));
  for (const int limit : {20, 33, 50, 191, 192, 193}) {
    options.max_resolution = limit;
    const core::Camera camera = open(tall)->camera(0).camera;
    EXPECT_EQ(camera.height, std::min(limit, 192)) << limit;
    EXPECT_EQ(camera.width, std::lround(camera.height * 108 / 192.0)) << limit;
  }
}

TEST_F(Photos, AResolutionThatIsRefusedIsNamed) {
  options.resolution = 3;
  try {
    open(made(core::Image8(64, 48, 3)));
    FAIL() << "3 was taken";
  } catch (const core::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("3 is neither 1, 2, 4 or 8"));
  }
}

TEST_F(Photos, MasksLeaveOutBlackAndGiveNoColorToNeighbours) {
  core::Image8 image(4, 2, 3);
  core::Image8 mask(4, 2, 1);
  mask.data.fill(255);
  image.data.fill(100);
  for (int y = 0; y < 2; ++y) {
    mask.at(1, y) = 0;
    image.at(1, y, 0) = 255;
  }
  auto photo = open(made(image, mask))->photo(0);
  EXPECT_EQ(photo->mask, mask);
  options.resolution = 2;
  photo = open(made(image, mask))->photo(0);
  EXPECT_EQ(photo->mask.empty(), true);  // half of the first pixel counts: all pixels do
  EXPECT_EQ(photo->pixels.at(0, 0, 0), 100);

  options.resolution = 1;
  options.invert_masks = true;
  photo = open(made(image, mask))->photo(0);
  EXPECT_EQ(photo->mask.at(1, 0), 255);
  EXPECT_EQ(photo->mask.at(0, 0), 0);
  EXPECT_EQ(photo->counts.value().pixels, 2);
}

TEST_F(Photos, AMaskOfAnotherSizeIsStretchedAndOneOfAnotherShapeRefused) {
  core::Image8 mask(2, 1, 1);
  mask.at(0, 0) = 255;
  mask.at(1, 0) = 0;
  core::Image8 image(8, 4, 3);
  image.data.fill(9);
  const auto photo = open(made(image, mask))->photo(0);
  EXPECT_EQ(photo->mask.at(3, 3), 255);
  EXPECT_EQ(photo->mask.at(4, 0), 0);
  EXPECT_THAT(error_of([&] { open(made(image, core::Image8(8, 8, 1))); }),
              AllOf(HasSubstr("mask.png"), HasSubstr("8 x 8"), HasSubstr("8 x 4")));
}

TEST_F(Photos, AlphaIsAMaskOrOpacityAsTheCaptureSays) {
  core::Image8 image(2, 1, 4);
  const uint8_t values[] = {10, 20, 30, 255, 200, 200, 200, 0};
  std::copy_n(values, 8, image.data.data());
  core::Capture capture = made(image);
  auto photo = open(capture)->photo(0);
  EXPECT_EQ(photo->pixels.channels, 3);
  EXPECT_EQ(photo->mask.at(0, 0), 255);
  EXPECT_EQ(photo->mask.at(1, 0), 0);

  capture.alpha_is_opacity = true;
  photo = open(capture)->photo(0);
  EXPECT_EQ(photo->pixels, image);
  EXPECT_TRUE(photo->mask.empty());
  options.resolution = 2;
  photo = open(capture)->photo(0);
  EXPECT_EQ(photo->pixels.at(0, 0, 0), 10);  // what is transparent lends no color
  EXPECT_EQ(photo->pixels.at(0, 0, 3), 128);
}

TEST_F(Photos, K04MasksUnderEachNameGiveTheSamePixels) {
  TESSERA_NEED_TEST_DATA(reports, "reports/K04");
  const auto expected = open(reports / "double_png");
  for (const char* name : {"same_name", "other_ext", "mask_path"}) {
    const core::Capture capture = assets::read_capture(reports / name);
    EXPECT_THAT(capture.notes, Contains(HasSubstr("8 of 8")));
    const auto photos = open(capture);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(photos->photo(i)->mask, expected->photo(i)->mask) << name << i;
    }
  }
  int64_t left_out = 0;
  for (const uint8_t value : expected->photo(0)->mask.data) left_out += value == 0 ? 1 : 0;
  EXPECT_EQ(left_out, 24 * 32);
}

TEST_F(Photos, K01NothingOfWhatIsMaskedRemains) {
  TESSERA_NEED_TEST_DATA(reports, "reports/K01");
  for (const int resolution : {1, 2}) {
    options.resolution = resolution;
    const auto with_noise = open(reports / "noise");
    const auto with_truth = open(reports / "true");
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(with_noise->photo(i)->pixels, with_truth->photo(i)->pixels);
      EXPECT_EQ(with_noise->photo(i)->mask, with_truth->photo(i)->mask);
    }
  }
}

TEST_F(Photos, C11BadPhotosAreNamedBeforeTheFirstStep) {
  TESSERA_NEED_TEST_DATA(report, "reports/C11");
  const core::Capture capture = assets::read_capture(report);
  EXPECT_THAT(error_of([&] { open(capture); }),
              AllOf(HasSubstr("img_04.png: the file is empty"), HasSubstr("img_06.png"),
                    HasSubstr("cut short"), HasSubstr("--skip-bad-images")));
  options.skip_bad_images = true;
  const auto photos = open(capture);
  ASSERT_EQ(photos->count(), 5);
  EXPECT_EQ(photos->name(2), "img_03.png");
  EXPECT_EQ(log.warnings.size(), 2U);
  // The view behind a lost one keeps its own pose.
  EXPECT_DOUBLE_EQ(photos->camera(4).cam_from_world.translation.x,
                   find_view(capture, "img_07.png")->cam_from_world.translation.x);
}

TEST_F(Photos, N03MixedSizesKeepConsistentFocalLengths) {
  TESSERA_NEED_TEST_DATA(report, "reports/N03");
  const core::Capture capture = assets::read_capture(report);
  options.resolution = 2;
  const auto photos = open(capture);
  for (int i = 0; i < 8; ++i) {
    const core::Camera& full = capture.views[i].camera;
    const core::Camera& half = photos->camera(i).camera;
    EXPECT_DOUBLE_EQ(half.fx / half.width, full.fx / full.width);
    EXPECT_DOUBLE_EQ(half.cy / half.height, full.cy / full.height);
    EXPECT_EQ(photos->photo(i)->pixels.width, half.width);
    EXPECT_EQ(photos->photo(i)->pixels.height, half.height);
  }
}

TEST_F(Photos, ExifTurnsPixelsIfTheCameraIsTurned) {
  TESSERA_NEED_TEST_DATA(odd, "odd/images");
  core::Capture capture = made(core::Image8(1, 2, 3));
  capture.views[0].image_path = odd / "orientation_rectangle.jpg";  // stored 2 x 1, turn left
  EXPECT_EQ(open(capture)->photo(0)->pixels.height, 2);
  std::swap(capture.views[0].camera.width, capture.views[0].camera.height);
  EXPECT_EQ(open(capture)->photo(0)->pixels.height, 1);
}

TEST_F(Photos, DepthIsInMetresAndNamedIfIgnored) {
  core::Image8 image(4, 2, 3);
  image.data.fill(9);
  core::Capture capture = made(image);
  assets::Image16 depth(2, 1, 1);
  depth.data[0] = 1500;
  depth.data[1] = 0;
  capture.views[0].depth_path = folder / "depth.png";
  assets::write_image(capture.views[0].depth_path, depth);
  EXPECT_TRUE(open(capture)->photo(0)->depth.empty());
  EXPECT_THAT(log.infos, Contains(HasSubstr("1 depth file ignored")));
  options.load_depth = true;
  const auto photo = open(capture)->photo(0);
  EXPECT_FLOAT_EQ(photo->depth.at(1, 1), 1.5F);
  EXPECT_FLOAT_EQ(photo->depth.at(2, 0), 0);
  EXPECT_EQ(photo->counts.value().pixels, 8);
  EXPECT_EQ(photo->counts.value().depths, 4);
}

TEST_F(Photos, M01PhotosTakeThreeBytesAPixel) {
  TESSERA_NEED_TEST_DATA(report, "reports/M01");
  const core::Capture capture = assets::read_capture(report);
  const assets::PhotoPlan plan = assets::plan_photos(capture, all_views(capture), options);
  EXPECT_EQ(plan.decoded_bytes, int64_t{40} * 400 * 300 * 3);
  const auto photos = open(capture);
  int64_t bytes = 0;
  for (int i = 0; i < photos->count(); ++i) {
    const auto photo = photos->photo(i);
    bytes += photo->pixels.data.size() + photo->mask.data.size();
  }
  EXPECT_EQ(bytes, plan.decoded_bytes);
}

TEST_F(Photos, ABudgetChangesNoPixel) {
  TESSERA_NEED_TEST_DATA(report, "reports/M01");
  const core::Capture capture = assets::read_capture(report);
  const auto all = open(capture);
  const assets::PhotoPlan plan = assets::plan_photos(capture, all_views(capture), options);
  options.cache_bytes = plan.minimum_bytes + plan.decoded_bytes / 4;
  ASSERT_LT(options.cache_bytes, plan.decoded_bytes);
  const auto some = open(capture);
  EXPECT_EQ(some->most_decoded(), 10);
  for (int i = 0; i < all->count(); ++i) {
    const int view = (7 * i) % all->count();
    some->prefetch((7 * (i + 1)) % all->count());
    some->prefetch((7 * (i + 2)) % all->count());
    EXPECT_EQ(some->photo(view)->pixels, all->photo(view)->pixels);
  }
  for (int i = 0; i < 10; ++i) some->prefetch(39 - i);  // more than is kept ready; never taken

  options.cache_bytes = plan.minimum_bytes - 1;
  EXPECT_THAT(error_of([&] { open(capture); }), AllOf(HasSubstr("--max-memory"), HasSubstr("MB")));
}

TEST_F(Photos, APartIsDecodedAtTheOpeningAndTheRestWhenItIsAskedFor) {
  const core::Capture capture = grays(7);
  options.opened = {1, 3};
  assets::PhotoOpening opening(capture, all_views(capture), options, pool, log);
  opening.checks()[3].masked_out = true;  // as another part found
  const auto photos = opening.finish();
  EXPECT_EQ(photos->decodes(), 2);
  EXPECT_TRUE(photos->is_masked_out(3));
  for (const auto& [view, decodes] : {std::pair{1, 2}, {4, 2}, {0, 3}, {0, 3}, {1, 3}, {6, 4}}) {
    EXPECT_EQ(photos->photo(view)->pixels.at(0, 0), 5 * view);
    EXPECT_EQ(photos->decodes(), decodes) << view;
  }
}

TEST_F(Photos, WhatWasOnlyOpenedGivesWayToWhatIsAskedFor) {
  const core::Capture capture = grays(30);
  options.opened = {0, 2};
  const assets::PhotoPlan plan = assets::plan_photos(capture, all_views(capture), options);
  options.cache_bytes = plan.minimum_bytes + 2 * plan.decoded_bytes / 30;  // two stay decoded
  assets::PhotoOpening opening(capture, all_views(capture), options, pool, log);
  const auto photos = opening.finish();
  EXPECT_EQ(photos->most_decoded(), 2);
  EXPECT_EQ(photos->decodes(), 15);
  const std::pair<int, int> asked[] = {{2, 15}, {1, 16}, {1, 16}, {2, 16},  // 0 gave way
                                       {3, 17}, {3, 18}, {0, 19}, {1, 19}, {2, 19}};
  for (const auto& [view, decodes] : asked) {
    EXPECT_EQ(photos->photo(view)->pixels.at(0, 0), 5 * view);
    EXPECT_EQ(photos->decodes(), decodes) << view;
  }
}

TEST_F(Photos, APhotoThatVanishesLaterIsAnErrorOfItsOwn) {
  core::Image8 image(400, 300, 3);
  image.data.fill(1);
  core::Capture capture = made(image);
  capture.views.resize(30, capture.views[0]);
  const assets::PhotoPlan plan = assets::plan_photos(capture, all_views(capture), options);
  options.cache_bytes = plan.minimum_bytes;
  const auto photos = open(capture);
  fs::remove(folder / "a.png");
  EXPECT_THAT(error_of([&] { photos->photo(29); }), HasSubstr("a.png"));
}

}  // namespace
}  // namespace tessera::tests
