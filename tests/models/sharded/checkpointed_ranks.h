// Runs of the small synthetic scene that end in a checkpoint, and what the checkpoint holds.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/gaussian/checkpoint.h"
#include "tests/models/sharded/ranks_fixture.h"
#include "tests/support/temporary_folder.h"

namespace tessera::models {

class CheckpointedRanksTest : public RanksTest {
 protected:
  // Trains until `stop` photos were seen or to the end, and returns the checkpoint written there.
  std::filesystem::path checkpoint_at(const TrainSettings& settings, int ranks, int64_t stop) {
    core::ThreadPool pool(1);
    return checkpoint_at(settings, ranks, stop, cloud_from_points(scene.points, settings, pool));
  }
  std::filesystem::path checkpoint_at(const TrainSettings& settings, int ranks, int64_t stop,
                                      const core::GaussianCloud& start) {
    return run(ranks, stop, [&](distributed::Communicator& communicator, Surroundings& around) {
      return std::make_unique<Trainer>(settings, own_share(start, communicator, around.pool),
                                       around.photos, around.photos.all(), communicator,
                                       around.pool, around.log);
    });
  }
  // Goes on to the end, and returns the checkpoint written there.
  std::filesystem::path continued_from(const std::filesystem::path& checkpoint, int ranks) {
    return run(ranks, INT64_MAX,
               [&](distributed::Communicator& communicator, Surroundings& around) {
                 return std::make_unique<Trainer>(checkpoint, 0, around.photos, around.photos.all(),
                                                  communicator, around.pool, around.log);
               });
  }

  // All Gaussians of a checkpoint, in the order of ids.
  static GaussianState state_of_checkpoint(const std::filesystem::path& checkpoint) {
    GaussianState state = read_checkpoint(checkpoint).gaussians;
    const std::vector<int64_t> order = order_of_ids(state.cloud);
    state.cloud = sorted_by_id(state.cloud);
    for (core::Planes* part : {&state.first_moments, &state.second_moments, &state.statistics}) {
      part->gather(order);
    }
    return state;
  }

 private:
  // What each rank has for itself, as processes do.
  struct Surroundings {
    MemoryPhotos photos;
    core::ThreadPool pool{1};
    QuietLog log;
  };

  template <class MakeTrainer>
  std::filesystem::path run(int ranks, int64_t stop, const MakeTrainer& make_trainer) {
    TrainHooks hooks;
    hooks.checkpoints = folder_ / std::to_string(runs_++);
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      Surroundings around;
      around.photos = scene.photos;
      const std::unique_ptr<Trainer> trainer = make_trainer(communicator, around);
      TrainHooks own = hooks;
      own.wishes = [&] { return TrainWishes{.stop = trainer->images_seen() >= stop}; };
      trainer->run(own);
    });
    return latest_checkpoint(hooks.checkpoints).value();
  }

  test::TemporaryFolder folder_;
  int runs_ = 0;
};

}  // namespace tessera::models
