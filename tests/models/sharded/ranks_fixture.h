// The small synthetic scene, trained on several ranks in threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "distributed/backends/threads.h"
#include "models/gaussian/model.h"
#include "models/gaussian/train.h"
#include "tests/models/shared_clouds.h"
#include "tests/models/train_fixture.h"

namespace tessera::models {

// Indices in the order of ids.
inline std::vector<int64_t> order_of_ids(const core::GaussianCloud& cloud) {
  std::vector<int64_t> order(cloud.size());
  for (int64_t i = 0; i < cloud.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return cloud.ids[a] < cloud.ids[b]; });
  return order;
}

// A cloud in the order of ids.
inline core::GaussianCloud sorted_by_id(const core::GaussianCloud& cloud) {
  const std::vector<int64_t> order = order_of_ids(cloud);
  core::GaussianCloud sorted = cloud;
  sorted.parameters.gather(order);
  for (int64_t i = 0; i < cloud.size(); ++i) sorted.ids[i] = cloud.ids[order[i]];
  return sorted;
}

struct RanksResult {
  core::GaussianCloud cloud;   // in the order of ids
  std::vector<double> losses;  // of the steps, as every rank was told
};

class RanksTest : public testing::Test {
 protected:
  static TrainSettings settings_of(int batch, const std::string& strategy = "default") {
    TrainSettings settings = quick_settings(strategy);
    settings.batch = batch;
    return settings;
  }

  // Each rank has photos, a pool and a log of its own, as processes do.
  RanksResult train(const TrainSettings& settings, int ranks) {
    return train(settings, ranks, [](core::GaussianCloud& /*start*/) {});
  }
  RanksResult train(const TrainSettings& settings, int ranks,
                    const std::function<void(core::GaussianCloud&)>& change_start) {
    RanksResult result;
    std::mutex mutex;
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      QuietLog log;
      MemoryPhotos photos = scene.photos;
      core::GaussianCloud start = cloud_from_points(scene.points, settings, pool);
      change_start(start);
      Trainer trainer(settings, own_share(start, communicator, pool), photos, photos.all(),
                      communicator, pool, log);
      std::vector<double> losses;
      TrainHooks hooks;
      hooks.progress = [&](const TrainProgress& progress) { losses.push_back(progress.loss); };
      trainer.run(hooks);
      const core::GaussianCloud cloud = gathered(communicator, trainer.cloud());
      const std::lock_guard lock(mutex);
      if (result.losses.empty()) result.losses = losses;
      EXPECT_EQ(losses, result.losses) << "rank " << communicator.rank();
      if (communicator.rank() == 0) result.cloud = sorted_by_id(cloud);
    });
    return result;
  }

  SyntheticScene scene = synthetic_scene();
};

}  // namespace tessera::models
