// A trainer that goes on from a checkpoint.
// SPDX-License-Identifier: MIT
#include "models/gaussian/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.h"
#include "models/gaussian/checkpoint.h"
#include "tests/models/train_fixture.h"

namespace tessera::models {
namespace {

namespace fs = std::filesystem;

class ResumeTest : public TrainTest {
 protected:
  ResumeTest()
      : folder(fs::temp_directory_path() /
               ("tessera_resume_" + std::to_string(getpid()) + "_" +
                testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder);
  }
  ~ResumeTest() override { fs::remove_all(folder); }

  // Trains up to `stop` photos and returns the checkpoint.
  fs::path stopped_at(const TrainSettings& settings, int64_t stop) {
    Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
    TrainHooks hooks;
    hooks.checkpoints = folder;
    hooks.wishes = [&] { return TrainWishes{.stop = trainer.images_seen() >= stop}; };
    EXPECT_EQ(trainer.run(hooks), TrainEnd::kStopped);
    return latest_checkpoint(folder).value();
  }

  fs::path folder;
};

TEST_F(ResumeTest, GivesWhatAnUninterruptedRunGives) {
  for (const char* strategy : {"default", "mcmc"}) {
    for (const int batch : {1, 4}) {
      TrainSettings settings = quick_settings(strategy);
      settings.batch = batch;
      settings.random_background = true;
      const core::GaussianCloud whole = train(settings);
      // Before the first growth, within statistics, after a reset.
      for (const int64_t stop : {8, 52, 92}) {
        fs::remove_all(folder);
        const fs::path checkpoint = stopped_at(settings, stop);
        EXPECT_EQ(checkpoint.filename(), "checkpoint_" + std::to_string(stop));
        core::ThreadPool other(3);
        Trainer resumed(checkpoint, 0, scene.photos, scene.photos.all(), *alone, other, log);
        EXPECT_EQ(resumed.images_seen(), stop);
        resumed.run({});
        expect_same(resumed.cloud(), whole);
      }
    }
  }
}

TEST_F(ResumeTest, KeepsTheRunsSettingsAndTakesANewTotal) {
  TrainSettings settings = quick_settings();
  settings.seed = 5;
  const fs::path checkpoint = stopped_at(settings, 50);
  Trainer same(checkpoint, 0, scene.photos, scene.photos.all(), *alone, pool, log);
  EXPECT_EQ(same.settings(), settings);
  Trainer longer(checkpoint, 200, scene.photos, scene.photos.all(), *alone, pool, log);
  std::vector<int64_t> steps;
  TrainHooks hooks;
  hooks.progress = [&](const TrainProgress& progress) { steps.push_back(progress.images_seen); };
  longer.run(hooks);
  EXPECT_EQ(steps.front(), 51);
  EXPECT_EQ(steps.back(), 200);
}

TEST_F(ResumeTest, AFinishedRunCanBeLengthened) {
  TrainSettings settings = quick_settings();
  TrainHooks hooks;
  hooks.checkpoints = folder;
  Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
  trainer.run(hooks);
  Trainer longer(folder / "checkpoint_120", 150, scene.photos, scene.photos.all(), *alone, pool,
                 log);
  EXPECT_EQ(longer.run({}), TrainEnd::kFinished);
  EXPECT_EQ(longer.images_seen(), 150);
}

TEST_F(ResumeTest, OtherPhotosAreRefused) {
  const fs::path checkpoint = stopped_at(quick_settings(), 10);
  scene.photos.views[2].name = "another.png";
  EXPECT_THROW(Trainer(checkpoint, 0, scene.photos, scene.photos.all(), *alone, pool, log),
               core::UsageError);
  EXPECT_THROW(Trainer(checkpoint, 0, scene.photos, {0, 1}, *alone, pool, log), core::UsageError);
}

TEST_F(ResumeTest, CheckpointsComeWhenAskedFor) {
  TrainSettings settings = quick_settings();
  settings.checkpoint_every = 50;
  TrainHooks hooks;
  hooks.checkpoints = folder;
  Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone, pool, log);
  trainer.run(hooks);
  EXPECT_FALSE(fs::exists(folder / "checkpoint_50"));
  EXPECT_TRUE(fs::exists(folder / "checkpoint_100"));
  EXPECT_TRUE(fs::exists(folder / "checkpoint_120"));
}

}  // namespace
}  // namespace tessera::models
