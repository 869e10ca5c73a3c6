// A trainer on the small synthetic scene.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "distributed/backends/lone_rank.h"
#include "models/gaussian/model.h"
#include "models/gaussian/train.h"
#include "tests/models/synthetic.h"

namespace tessera::models {

inline TrainSettings quick_settings(const std::string& strategy = "default") {
  TrainSettings settings;
  settings.iterations = 120;
  settings.strategy = strategy;
  settings.sh_degree = 1;
  settings.sh_interval = 40;
  settings.densify_from = 20;
  settings.densify_until = 100;
  settings.densify_interval = 20;
  settings.opacity_reset_interval = 70;
  settings.densify_gradient = 1e-4F;
  settings.max_gaussians = 120;
  settings.seed = 3;
  return settings;
}

class TrainTest : public testing::Test {
 protected:
  core::GaussianCloud start(const TrainSettings& settings) {
    return cloud_from_points(scene.points, settings, pool);
  }
  core::GaussianCloud train(const TrainSettings& settings, int threads = 1) {
    core::ThreadPool threads_pool(threads);
    Trainer trainer(settings, start(settings), scene.photos, scene.photos.all(), *alone,
                    threads_pool, log);
    trainer.run({});
    return trainer.cloud();
  }
  static void expect_same(const core::GaussianCloud& a, const core::GaussianCloud& b) {
    EXPECT_EQ(a.size(), b.size());
    EXPECT_EQ(a.ids, b.ids);
    EXPECT_TRUE(a.parameters == b.parameters);
  }

  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  SyntheticScene scene = synthetic_scene();
  core::ThreadPool pool{2};
  QuietLog log;
};

}  // namespace tessera::models
