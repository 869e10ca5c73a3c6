// Exposure and pose refinement: gradients against differences, wrong cameras and exposures found
// again, and kept across a checkpoint.
// SPDX-License-Identifier: MIT
#include "models/gaussian/camera_corrections.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "core/error.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/model.h"
#include "tests/models/synthetic.h"

namespace tessera::models {
namespace {

TrainSettings settings_with(bool exposure, bool pose) {
  TrainSettings settings;
  settings.iterations = 100;
  settings.exposure = exposure;
  settings.pose_opt = pose;
  return settings;
}

core::ImageF noise(int width, int height, int seed) {
  core::ImageF image(width, height, 3);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (float& value : image.data) value = uniform(random);
  return image;
}

TEST(Exposure, StartsAsTheIdentity) {
  core::ThreadPool pool(2);
  const CameraCorrections corrections(settings_with(true, true), 1, 3, pool);
  const core::ImageF render = noise(7, 40, 1);
  core::ImageF exposed;
  corrections.expose(2, render, exposed);
  EXPECT_TRUE(exposed == render);
  const core::PosedCamera camera = looking_at_origin({3, 1, 2}, 10, 10, 10);
  const core::PosedCamera corrected = corrections.corrected(0, camera);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(corrected.cam_from_world.rotation.m[i][j], camera.cam_from_world.rotation.m[i][j]);
    }
  }
}

// With loss = sum(weight . exposed) the render's gradient is A^T weight.
TEST(Exposure, GradientOfTheRenderFollowsTheMap) {
  core::ThreadPool pool(2);
  CameraCorrections corrections(settings_with(true, false), 1, 1, pool);
  std::vector<double> state = corrections.state();
  const double map[12] = {0.9, 0.1, -0.2, 0.05, 0.3, 1.1, 0.2, -0.1, 0, -0.4, 0.8, 0.02};
  std::copy_n(map, 12, state.begin());
  corrections.restore(state);
  const core::ImageF weight = noise(9, 33, 3);
  core::ImageF gradient = weight;
  const core::ImageF render = noise(9, 33, 2);
  corrections.expose_backward(0, render, gradient);
  for (int64_t i = 0; i < render.pixel_count(); ++i) {
    for (int k = 0; k < 3; ++k) {
      double expected = 0;
      for (int c = 0; c < 3; ++c) expected += map[4 * c + k] * weight.data[3 * i + c];
      EXPECT_NEAR(gradient.data[3 * i + k], expected, 1e-6);
    }
  }
}

// What all maps share would be a scene of the wrong color.
TEST(Exposure, TheMeanOfAllMapsStaysNone) {
  core::ThreadPool pool(1);
  CameraCorrections corrections(settings_with(true, false), 1, 3, pool);
  const core::ImageF render = noise(9, 33, 2);
  for (int step = 0; step < 20; ++step) {
    core::ImageF gradient = noise(9, 33, 3);  // each asks for less of every color
    corrections.expose_backward(step % 3, render, gradient);
    corrections.step(step);
  }
  core::ImageF exposed;
  std::vector<double> sum(render.data.size(), 0.0);
  for (int photo = 0; photo < 3; ++photo) {
    corrections.expose(photo, render, exposed);
    if (photo == 0) {
      EXPECT_GT(std::fabs(exposed.data[0] - render.data[0]), 1e-4);
    }
    for (int64_t i = 0; i < exposed.data.size(); ++i) sum[i] += exposed.data[i];
  }
  for (int64_t i = 0; i < render.data.size(); ++i) EXPECT_NEAR(sum[i] / 3, render.data[i], 1e-6);
}

TEST(Corrections, AStateOfOtherPhotosIsRefused) {
  core::ThreadPool pool(1);
  CameraCorrections corrections(settings_with(true, false), 1, 2, pool);
  const CameraCorrections other(settings_with(true, false), 1, 3, pool);
  EXPECT_THROW(corrections.restore(other.state()), core::Error);
  EXPECT_TRUE(CameraCorrections(settings_with(false, false), 1, 2, pool).state().empty());
}

class CorrectionsTest : public testing::Test {
 protected:
  std::pair<double, std::unique_ptr<Trainer>> train(const TrainSettings& settings) {
    auto trainer =
        std::make_unique<Trainer>(settings, cloud_from_points(scene.points, settings, pool),
                                  scene.photos, scene.photos.all(), *alone, pool, log);
    double last = 0;
    TrainHooks hooks;
    hooks.progress = [&](const TrainProgress& progress) {
      if (progress.images_seen > settings.iterations - scene.photos.count()) last += progress.loss;
    };
    trainer->run(hooks);
    return {last / scene.photos.count(), std::move(trainer)};
  }

  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  SyntheticScene scene = synthetic_scene();
  core::ThreadPool pool{2};
  QuietLog log;
};

TEST_F(CorrectionsTest, ExposureExplainsPhotosOfOtherBrightness) {
  for (size_t v = 0; v < scene.photos.views.size(); v += 2) {
    for (uint8_t& value : scene.photos.views[v].photo.pixels.data) value = value * 6 / 10;
  }
  TrainSettings settings;
  settings.strategy = "mcmc";
  settings.iterations = 400;
  settings.max_gaussians = 60;
  const double without = train(settings).first;
  settings.exposure = true;
  EXPECT_LT(train(settings).first, 0.85 * without);
}

double distance(const core::PosedCamera& a, const core::PosedCamera& b) {
  const math::Vec3<double> d =
      center_in_world(a.cam_from_world) - center_in_world(b.cam_from_world);
  return std::sqrt(dot(d, d));
}
// Radians between the optical axes.
double angle(const core::PosedCamera& a, const core::PosedCamera& b) {
  const auto& ra = a.cam_from_world.rotation;
  const auto& rb = b.cam_from_world.rotation;
  const math::Vec3<double> za = {ra.m[2][0], ra.m[2][1], ra.m[2][2]};
  const math::Vec3<double> zb = {rb.m[2][0], rb.m[2][1], rb.m[2][2]};
  const math::Vec3<double> sine = cross(za, zb);
  return std::asin(std::sqrt(dot(sine, sine)));
}

TEST_F(CorrectionsTest, AWrongPoseIsFoundAgain) {
  TrainSettings settings;
  settings.strategy = "mcmc";
  settings.iterations = 300;
  settings.max_gaussians = 60;
  const core::GaussianCloud scene_trained = train(settings).second->cloud();
  core::PosedCamera& wrong = scene.photos.views[0].camera;
  const core::PosedCamera right = wrong;
  // A turn about the camera's center by 0.006 radians.
  const double s = std::sin(0.006);
  const double c = std::cos(0.006);
  const math::Mat3<double> turn = {{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
  wrong.cam_from_world.rotation = turn * wrong.cam_from_world.rotation;
  wrong.cam_from_world.translation = turn * wrong.cam_from_world.translation;
  settings.pose_opt = true;
  settings.iterations = 1000;
  settings.densify_until = 0;
  settings.position_rate = settings.position_rate_final = 1e-9F;
  settings.scale_rate = settings.rotation_rate = settings.sh_rate = settings.opacity_rate = 1e-9F;
  settings.mcmc_noise = 0;
  Trainer trainer(settings, scene_trained, scene.photos, {0}, *alone, pool, log);
  trainer.run({});
  EXPECT_NEAR(angle(wrong, right), 0.006, 1e-6);
  EXPECT_LT(angle(trainer.camera(0), right), 0.003);
  EXPECT_LT(distance(trainer.camera(0), right), 0.03);
  EXPECT_EQ(distance(trainer.camera(1), scene.photos.camera(1)), 0);
}

TEST_F(CorrectionsTest, AreKeptAcrossACheckpoint) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("tessera_corrections_" + std::to_string(getpid()));
  fs::remove_all(folder);
  TrainSettings settings = settings_with(true, true);
  settings.batch = 2;
  const auto whole = train(settings).second;
  Trainer stopped(settings, cloud_from_points(scene.points, settings, pool), scene.photos,
                  scene.photos.all(), *alone, pool, log);
  TrainHooks hooks;
  hooks.checkpoints = folder;
  hooks.wishes = [&] { return TrainWishes{.stop = stopped.images_seen() >= 44}; };
  stopped.run(hooks);
  Trainer resumed(latest_checkpoint(folder).value(), 0, scene.photos, scene.photos.all(), *alone,
                  pool, log);
  resumed.run({});
  EXPECT_TRUE(resumed.cloud().parameters == whole->cloud().parameters);
  EXPECT_EQ(distance(resumed.camera(3), whole->camera(3)), 0);
  EXPECT_GT(distance(whole->camera(3), scene.photos.camera(3)), 0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera::models
