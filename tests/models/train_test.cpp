// The trainer on a small scene: it learns, and what it gives depends on nothing but its inputs.
// SPDX-License-Identifier: MIT
#include "models/gaussian/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "tests/models/train_fixture.h"

namespace tessera::models {
namespace {

using testing::HasSubstr;

TEST_F(TrainTest, LossFalls) {
  for (const char* strategy : {"default", "mcmc"}) {
    TrainSettings settings = quick_settings(strategy);
    settings.iterations = 300;
    settings.opacity_reset_interval = 0;
    std::vector<double> losses;
    TrainHooks hooks;
    hooks.progress = [&](const TrainProgress& progress) { losses.push_back(progress.loss); };
    Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
    EXPECT_EQ(trainer.run(hooks), TrainEnd::kFinished);
    ASSERT_EQ(losses.size(), 300U);
    double first = 0;
    double last = 0;
    for (int i = 0; i < 6; ++i) {
      first += losses[i] / 6;
      last += losses[294 + i] / 6;
    }
    EXPECT_LT(last, 0.5 * first) << strategy;
    EXPECT_GT(trainer.cloud().size(), 60) << strategy;
    EXPECT_LE(trainer.cloud().size(), 120) << strategy;
    EXPECT_EQ(trainer.dropped_gaussians(), 0);
  }
}

TEST_F(TrainTest, ThreadsDoNotMatter) {
  for (const char* strategy : {"default", "mcmc"}) {
    const TrainSettings settings = quick_settings(strategy);
    const core::GaussianCloud one = train(settings, 1);
    for (int threads = 2; threads <= 7; ++threads) expect_same(train(settings, threads), one);
  }
}

TEST_F(TrainTest, SeedsMatter) {
  TrainSettings settings = quick_settings();
  const core::GaussianCloud one = train(settings);
  expect_same(train(settings), one);
  settings.seed = 4;
  EXPECT_FALSE(train(settings).parameters == one.parameters);
}

TEST_F(TrainTest, OptionsChangeTheResultAndStayFinite) {
  const core::GaussianCloud plain = train(quick_settings());
  const auto differs = [&](const char* what, const TrainSettings& settings) {
    const core::GaussianCloud cloud = train(settings);
    EXPECT_FALSE(cloud.parameters == plain.parameters) << what;
    for (int64_t i = 0; i < cloud.size(); ++i)
      ASSERT_TRUE(std::isfinite(cloud.plane(0)[i])) << what;
  };
  TrainSettings settings = quick_settings();
  settings.absgrad = true;
  differs("absgrad", settings);
  settings = quick_settings();
  settings.visible_adam = true;
  scene.photos.views[0].camera = looking_at_origin({1.2, 0, 0}, 48, 36, 50);
  differs("visible_adam", settings);
  settings = quick_settings();
  settings.antialiasing = true;
  differs("antialiasing", settings);
  settings = quick_settings();
  settings.random_background = true;
  differs("random_background", settings);
  settings = quick_settings();
  settings.batch = 3;
  differs("batch", settings);
}

TEST_F(TrainTest, EventsComeAtTheirSteps) {
  TrainSettings settings = quick_settings();
  settings.batch = 7;
  Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
  std::vector<int64_t> at;
  std::vector<int64_t> every;
  TrainHooks hooks;
  hooks.events.push_back({{1, 30, 120}, 0, [&] { at.push_back(trainer.images_seen()); }});
  hooks.events.push_back({{}, 50, [&] { every.push_back(trainer.images_seen()); }});
  trainer.run(hooks);
  EXPECT_EQ(at, (std::vector<int64_t>{7, 35, 120}));
  EXPECT_EQ(every, (std::vector<int64_t>{56, 105}));
}

TEST_F(TrainTest, ProfileNamesAllOfTheTime) {
  TrainSettings settings = quick_settings();
  Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
  trainer.run({});
  const Trainer::Profile profile = trainer.profile();
  EXPECT_EQ(profile.steps, 120);
  double sum = 0;
  for (const render::StageTime& stage : profile.stages) {
    EXPECT_FALSE(stage.stage.empty());
    sum += stage.milliseconds;
  }
  EXPECT_NEAR(sum, profile.total_milliseconds, 0.03 * profile.total_milliseconds);
}

// A batch steps by the mean of its views' gradients: of one view shown three times it is the
// gradient of that view, with the batch's constants.
TEST_F(TrainTest, BatchOfEqualViewsIsOneViewWithTheBatchsConstants) {
  const std::vector<int> one_view = {1};
  TrainSettings single = quick_settings();
  single.iterations = 1;
  single.ssim_weight = 0;
  TrainSettings batch = single;
  batch.iterations = 4;
  batch.batch = 4;
  Trainer a(single, start(single), scene.photos, one_view, *alone, pool, log);
  Trainer b(batch, start(batch), scene.photos, one_view, *alone, pool, log);
  const core::GaussianCloud before = a.cloud();
  a.run({});
  b.run({});
  // The first step of Adam is the rate times the gradient's sign; a batch of 4 has twice the rate.
  int moved = 0;
  for (int p = core::kShPlane; p < core::kShPlane + 3; ++p) {
    for (int64_t i = 0; i < before.size(); ++i) {
      const float of_single = a.cloud().plane(p)[i] - before.plane(p)[i];
      const float of_batch = b.cloud().plane(p)[i] - before.plane(p)[i];
      EXPECT_NEAR(of_batch, 2 * of_single, 1e-6);
      moved += of_single != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(moved, 30);
}

TEST_F(TrainTest, PhotosAreAskedForAhead) {
  TrainSettings settings = quick_settings();
  settings.iterations = 3;
  Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
  trainer.run({});
  EXPECT_GE(scene.photos.prefetched.size(), 3U);
}

// Photos that are transparent but for a window, over white.
TEST_F(TrainTest, TransparentPhotosAreLaidOverTheBackground) {
  for (MemoryPhotos::View& view : scene.photos.views) {
    const core::Image8 rgb = view.photo.pixels;
    core::Image8 rgba(rgb.width, rgb.height, 4);
    core::Image8 laid_over(rgb.width, rgb.height, 3);
    for (int64_t i = 0; i < rgb.pixel_count(); ++i) {
      const bool opaque = i % 3 != 0;
      for (int c = 0; c < 3; ++c) {
        rgba.data[4 * i + c] = rgb.data[3 * i + c];
        laid_over.data[3 * i + c] = opaque ? rgb.data[3 * i + c] : 255;
      }
      rgba.data[4 * i + 3] = opaque ? 255 : 0;
    }
    view.photo.pixels = rgba;
    view.photo.mask = {};
    view.name = "rgba";
  }
  TrainSettings settings = quick_settings();
  settings.background = {1, 1, 1};
  const core::GaussianCloud transparent = train(settings);
  for (MemoryPhotos::View& view : scene.photos.views) {
    core::Image8 rgb(view.photo.pixels.width, view.photo.pixels.height, 3);
    for (int64_t i = 0; i < rgb.pixel_count(); ++i) {
      const uint8_t* pixel = &view.photo.pixels.data[4 * i];
      for (int c = 0; c < 3; ++c) rgb.data[3 * i + c] = pixel[3] == 255 ? pixel[c] : 255;
    }
    view.photo.pixels = rgb;
  }
  expect_same(train(settings), transparent);
}

TEST_F(TrainTest, WhatLiesUnderTheMaskDoesNotMatter) {
  std::mt19937 random(8);
  const auto with_window = [&](int kind) {
    for (MemoryPhotos::View& view : scene.photos.views) {
      core::Image8& pixels = view.photo.pixels;
      view.photo.mask = core::Image8(pixels.width, pixels.height, 1);
      view.photo.mask.data.fill(255);
      for (int y = 8; y < 26; ++y) {
        for (int x = 10; x < 34; ++x) {
          view.photo.mask.at(x, y) = 0;
          for (int c = 0; c < 3; ++c) {
            if (kind == 1) pixels.at(x, y, c) = static_cast<uint8_t>(random() & 255U);
            if (kind == 2) pixels.at(x, y, c) = 255;
          }
        }
      }
    }
    return train(quick_settings());
  };
  const core::GaussianCloud true_picture = with_window(0);
  expect_same(with_window(1), true_picture);
  expect_same(with_window(2), true_picture);
}

TEST_F(TrainTest, WhiteMasksAreNoMasksAndBlackOnesCountForNothing) {
  const core::GaussianCloud plain = train(quick_settings());
  for (MemoryPhotos::View& view : scene.photos.views) {
    view.photo.mask = core::Image8(view.photo.pixels.width, view.photo.pixels.height, 1);
    view.photo.mask.data.fill(255);
  }
  expect_same(train(quick_settings()), plain);
  scene.photos.views[1].photo.mask.data.fill(0);
  const core::GaussianCloud cloud = train(quick_settings());
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) ASSERT_TRUE(std::isfinite(cloud.plane(p)[i]));
  }
}

TEST_F(TrainTest, NonFiniteGaussiansAreDroppedAndCounted) {
  for (const int plane : {core::kMeanPlane, core::kLogScalePlane + 1, core::kQuaternionPlane,
                          core::kOpacityPlane, core::kShPlane + 2}) {
    for (const float value : {static_cast<float>(NAN), static_cast<float>(INFINITY)}) {
      TrainSettings settings = quick_settings();
      core::GaussianCloud broken = start(settings);
      broken.plane(plane)[7] = value;
      Trainer trainer(settings, std::move(broken), scene.photos, scene.photos.all(), *alone, pool,
                      log);
      trainer.run({});
      EXPECT_GE(trainer.dropped_gaussians(), 1);
      const core::GaussianCloud& cloud = trainer.cloud();
      EXPECT_GT(cloud.size(), 40);
      for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
        for (int64_t i = 0; i < cloud.size(); ++i) {
          ASSERT_TRUE(std::isfinite(cloud.plane(p)[i])) << plane << " " << value;
        }
      }
    }
  }
}

TEST_F(TrainTest, ANonFiniteLossNamesStepAndPhoto) {
  TrainSettings settings = quick_settings();
  settings.depth_weight = 1;
  MemoryPhotos::View& view = scene.photos.views[3];
  view.photo.depth = core::ImageF(view.photo.pixels.width, view.photo.pixels.height, 1);
  view.photo.depth.data.fill(1e-42F);  // its inverse is no number
  Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
  try {
    trainer.run({});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("view_3.png"));
    EXPECT_THAT(error.what(), HasSubstr("step"));
  }
}

TEST_F(TrainTest, NothingToTrainOnIsRefused) {
  EXPECT_THROW(Trainer({}, start({}), scene.photos, {}, *alone, pool, log), core::Error);
  EXPECT_THROW(Trainer({}, {}, scene.photos, scene.photos.all(), *alone, pool, log), core::Error);
  TrainSettings settings;
  settings.rasterizer = "telepathy";
  EXPECT_THROW(
      Trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log),
      core::UsageError);
}

TEST_F(TrainTest, APhotoThatDoesNotFitItsCameraIsNamed) {
  scene.photos.views[2].camera.camera.width += 1;
  TrainSettings settings = quick_settings();
  Trainer trainer(settings, start(settings), scene.photos, {2}, *alone, pool, log);
  try {
    trainer.run({});
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("view_2.png has 48x36 pixels"));
  }
}

}  // namespace
}  // namespace tessera::models
