// What each option of the trainer does, on scenes in which nothing else happens.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "distributed/backends/lone_rank.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/photo_loss.h"
#include "models/gaussian/train.h"
#include "models/gaussian/view_order.h"
#include "tests/models/synthetic.h"
#include "tests/support/temporary_folder.h"

namespace tessera::models {
namespace {

constexpr int kWidth = 32, kHeight = 24;

// Gray photos from `centers`, all looking at the origin.
MemoryPhotos gray_photos(const std::vector<math::Vec3<double>>& centers) {
  MemoryPhotos photos;
  for (const auto& center : centers) {
    MemoryPhotos::View view;
    view.name = "photo " + std::to_string(photos.views.size());
    view.camera = looking_at_origin(center, kWidth, kHeight, 30);
    view.photo.pixels = core::Image8(kWidth, kHeight, 3);
    view.photo.pixels.data.fill(100);
    photos.views.push_back(view);
  }
  return photos;
}

// Gaussians of scale 0.1 and opacity 0.5 at these places.
core::GaussianCloud gaussians_at(const std::vector<math::Vec3<double>>& places) {
  core::GaussianCloud cloud(0, static_cast<int64_t>(places.size()));
  for (int64_t i = 0; i < cloud.size(); ++i) {
    cloud.plane(core::kMeanPlane)[i] = static_cast<float>(places[i].x);
    cloud.plane(core::kMeanPlane + 1)[i] = static_cast<float>(places[i].y);
    cloud.plane(core::kMeanPlane + 2)[i] = static_cast<float>(places[i].z);
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] = std::log(0.1F);
    cloud.plane(core::kQuaternionPlane)[i] = 1;
    cloud.plane(core::kOpacityPlane)[i] = 0;
  }
  return cloud;
}

class TrainOptions : public testing::Test {
 protected:
  TrainOptions() {
    settings.iterations = 4;
    settings.sh_degree = 0;
  }
  std::vector<double> losses_of(const core::GaussianCloud& start, MemoryPhotos& photos) {
    std::vector<double> losses;
    TrainHooks hooks;
    hooks.progress = [&](const TrainProgress& progress) { losses.push_back(progress.loss); };
    Trainer trainer(settings, start, photos, photos.all(), *alone, pool, log);
    trainer.run(hooks);
    trained = trainer.cloud();
    return losses;
  }
  bool changed(const core::GaussianCloud& start, int64_t i) const {
    return start.plane(core::kShPlane)[i] != trained.plane(core::kShPlane)[i];
  }

  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  TrainSettings settings;
  core::ThreadPool pool{1};
  QuietLog log;
  core::GaussianCloud trained;
};

TEST_F(TrainOptions, RandomBackgroundIsAnotherEachStep) {
  MemoryPhotos photos = gray_photos({{4, 0, 0}});
  const core::GaussianCloud unseen = gaussians_at({{100, 0, 0}});
  settings.background = {0.2F, 0.2F, 0.2F};
  const std::vector<double> fixed = losses_of(unseen, photos);
  for (const double loss : fixed) EXPECT_EQ(loss, fixed[0]);
  settings.random_background = true;
  const std::vector<double> random = losses_of(unseen, photos);
  EXPECT_EQ(std::set<double>(random.begin(), random.end()).size(), random.size());
}

TEST_F(TrainOptions, WhatIsNearerThanNearIsNotTrained) {
  MemoryPhotos photos = gray_photos({{4, 0, 0}});
  const core::GaussianCloud start = gaussians_at({{0, 0, 0}, {3.2, 0, 0}});
  losses_of(start, photos);
  EXPECT_TRUE(changed(start, 1));
  settings.near_plane = 1;
  losses_of(start, photos);
  EXPECT_TRUE(changed(start, 0));
  EXPECT_FALSE(changed(start, 1));
}

TEST_F(TrainOptions, VisibleAdamStepsWhatAnyViewOfTheBatchSaw) {
  // Each camera looks away from the other's Gaussian.
  MemoryPhotos photos = gray_photos({{4, 0, 0}, {-4, 0, 0}});
  const core::GaussianCloud start = gaussians_at({{-6, 0, 0}, {6, 0, 0}, {0, 50, 0}});
  settings.visible_adam = true;
  settings.batch = 2;
  settings.iterations = 2;
  losses_of(start, photos);
  EXPECT_TRUE(changed(start, 0));
  EXPECT_TRUE(changed(start, 1));
  EXPECT_FALSE(changed(start, 2));
}

// A Gaussian that only the second view of a batch sees, and that is no number: what the first view
// gave is forgotten before the step is taken again.
TEST_F(TrainOptions, AStepThatIsTakenAgainLeavesNoTraceOfTheFirstTry) {
  // Each camera looks away from the other's Gaussians.
  MemoryPhotos photos = gray_photos({{4, 0, 0}, {-4, 0, 0}});
  settings.batch = 2;
  settings.iterations = 6;
  settings.densify_from = 100;
  settings.densify_until = 200;
  settings.max_gaussians = 10;
  settings.absgrad = true;
  const double second = ViewOrder({0, 8}, 2, settings.seed).view(1) == 0 ? -1 : 1;
  for (const bool visible_only : {false, true}) {
    settings.visible_adam = visible_only;
    const auto checkpoint_of = [&](bool broken) {
      std::vector<math::Vec3<double>> places = {{-6, 0, 0}, {6, 0, 0}, {0, 0.1, 0}};
      if (broken) places.push_back({6 * second, 0.1, 0});
      core::GaussianCloud start = gaussians_at(places);
      if (broken) start.plane(core::kShPlane)[3] = INFINITY;
      const test::TemporaryFolder folder;
      Trainer trainer(settings, start, photos, photos.all(), *alone, pool, log);
      trainer.run({});
      return read_checkpoint(trainer.save_checkpoint(folder.path()));
    };
    const Checkpoint clean = checkpoint_of(false);
    const Checkpoint again = checkpoint_of(true);
    EXPECT_EQ(clean.info.dropped_gaussians, 0);
    EXPECT_EQ(again.info.dropped_gaussians, 1);
    EXPECT_GT(clean.gaussians.statistics.plane(0)[0], 0);
    EXPECT_TRUE(again.gaussians.statistics == clean.gaussians.statistics);
    EXPECT_TRUE(again.gaussians.cloud.parameters == clean.gaussians.cloud.parameters);
    EXPECT_TRUE(again.gaussians.first_moments == clean.gaussians.first_moments);
  }
}

core::ImageF ramp(int channels, float first, float step) {
  core::ImageF image(kWidth, kHeight, channels);
  for (int64_t i = 0; i < image.data.size(); ++i) {
    image.data[i] = first + step * static_cast<float>(i % 17);
  }
  return image;
}

TEST(PhotoLoss, CountsNothingUnderTheMaskOfATransparentPhoto) {
  core::ThreadPool pool(1);
  PhotoLoss loss({}, pool);
  core::Photo photo;
  photo.pixels = core::Image8(kWidth, kHeight, 4);
  photo.pixels.data.fill(200);
  photo.mask = core::Image8(kWidth, kHeight, 1);
  for (int64_t i = 0; i < photo.mask.data.size(); ++i)
    photo.mask.data[i] = i % kWidth < 16 ? 0 : 255;
  const core::ImageF render = ramp(3, 0.1F, 0.02F);
  render::RenderOutputGradient gradient;
  const PhotoLossTerms before = loss.evaluate(render, {}, photo, {0, 0, 0}, gradient);
  EXPECT_EQ(gradient.color.at(3, 5), 0);
  EXPECT_NE(gradient.color.at(20, 5), 0);
  for (int y = 0; y < kHeight; ++y) photo.pixels.at(3, y) = 7;
  EXPECT_EQ(loss.evaluate(render, {}, photo, {0, 0, 0}, gradient), before);
  photo.pixels.at(20, 5) = 7;
  EXPECT_NE(loss.evaluate(render, {}, photo, {0, 0, 0}, gradient), before);
}

TEST(PhotoLoss, DepthGradientFollowsDifferences) {
  core::ThreadPool pool(1);
  TrainSettings settings;
  settings.depth_weight = 3;
  PhotoLoss loss(settings, pool);
  core::Photo photo;
  photo.pixels = core::Image8(kWidth, kHeight, 3);
  photo.pixels.data.fill(100);
  photo.depth = ramp(1, 2, 0);
  photo.depth.at(9, 9) = 0;  // not known
  const core::ImageF color = ramp(3, 0.3F, 0.01F);
  core::ImageF depth = ramp(1, 1.5F, 0.07F);  // on both sides of 2
  render::RenderOutputGradient gradient, ignored;
  loss.evaluate(color, depth, photo, {0, 0, 0}, gradient);
  for (const auto& [x, y] : {std::pair{0, 0}, {9, 9}, {5, 1}, {31, 20}}) {
    constexpr float kStep = 0.02F;
    const float here = depth.at(x, y);
    depth.at(x, y) = here + kStep;
    const double more = loss.evaluate(color, depth, photo, {0, 0, 0}, ignored).depth;
    depth.at(x, y) = here - kStep;
    const double less = loss.evaluate(color, depth, photo, {0, 0, 0}, ignored).depth;
    depth.at(x, y) = here;
    const double expected = (more - less) / (2.0 * kStep);
    EXPECT_NEAR(gradient.depth.at(x, y), expected, 1e-5 + 1e-3 * std::fabs(expected));
    EXPECT_EQ(expected != 0, photo.depth.at(x, y) > 0);
  }
}

}  // namespace
}  // namespace tessera::models
