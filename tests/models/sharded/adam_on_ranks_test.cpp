// Adam's steps on several ranks: parameters and both moments are those of one.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/models/sharded/checkpointed_ranks.h"
#include "tests/models/sharded/tolerance.h"
#include "tests/models/sharded/turned_cloud.h"

namespace tessera::models {
namespace {

// All 59 parameters learn from the first of 50 steps on, and nothing grows.
TrainSettings fifty_steps(TrainSettings settings, const char* partition) {
  settings.iterations = 50 * settings.batch;
  settings.densify_from = settings.densify_until = settings.iterations;
  settings.opacity_reset_interval = 0;
  settings.sh_degree = settings.sh_start_degree = 3;
  settings.partition = partition;
  return settings;
}

TEST_F(CheckpointedRanksTest, AdamInWholeViewsGivesTheSameBits) {
  const TrainSettings settings = fifty_steps(settings_of(4), "views");
  const core::GaussianCloud start = turned_cloud(scene.points, settings);
  for (const int steps : {1, 50}) {
    const int64_t stop = int64_t{steps} * settings.batch;
    const GaussianState alone = state_of_checkpoint(checkpoint_at(settings, 1, stop, start));
    ASSERT_EQ(alone.second_moments.plane_count(), 59);
    for (const int ranks : {2, 3, 4}) {
      SCOPED_TRACE(testing::Message() << steps << " steps, " << ranks << " ranks");
      const GaussianState many = state_of_checkpoint(checkpoint_at(settings, ranks, stop, start));
      EXPECT_EQ(many.cloud.ids, alone.cloud.ids);
      EXPECT_TRUE(many.cloud.parameters == alone.cloud.parameters);
      EXPECT_TRUE(many.first_moments == alone.first_moments);
      EXPECT_TRUE(many.second_moments == alone.second_moments);
    }
  }
}

// Adam's epsilon is raised so that gradients that are but rounding do not become whole steps.
TEST_F(CheckpointedRanksTest, AdamInBlocksGivesTheSameWithinRounding) {
  for (const auto& [batch, steps] : {std::pair{1, 1}, {1, 50}, {4, 1}}) {
    TrainSettings settings = fifty_steps(settings_of(batch), "blocks");
    settings.adam_epsilon = 1e-6F;
    const core::GaussianCloud start = turned_cloud(scene.points, settings);
    const int64_t stop = int64_t{steps} * batch;
    const GaussianState alone = state_of_checkpoint(checkpoint_at(settings, 1, stop, start));
    for (const int ranks : {2, 3, 4}) {
      SCOPED_TRACE(testing::Message()
                   << batch << " views, " << steps << " steps, " << ranks << " ranks");
      const GaussianState many = state_of_checkpoint(checkpoint_at(settings, ranks, stop, start));
      ASSERT_EQ(many.cloud.ids, alone.cloud.ids);
      expect_within_rounding(many.cloud.parameters, alone.cloud.parameters, "parameters");
      expect_within_rounding(many.first_moments, alone.first_moments, "first moments");
      expect_within_rounding(many.second_moments, alone.second_moments, "second moments");
    }
  }
}

double drift_in_bounds(const GaussianState& got, const GaussianState& expected) {
  double worst = 0;
  for (int p = 0; p < expected.cloud.parameters.plane_count(); ++p) {
    worst = std::max({worst, times_the_bound(got.cloud.parameters, expected.cloud.parameters, p),
                      times_the_bound(got.first_moments, expected.first_moments, p),
                      times_the_bound(got.second_moments, expected.second_moments, p)});
  }
  return worst;
}

// Fifty steps of four views carry a rounding beyond the bound, wherever it comes from: ranks drift
// no farther than one rank does from a start whose numbers are the next ones.
TEST_F(CheckpointedRanksTest, FiftyStepsInBlocksDriftNoFartherThanARoundingOfTheStart) {
  constexpr int kBatch = 4;
  constexpr int64_t kStop = 50 * kBatch;
  TrainSettings settings = fifty_steps(settings_of(kBatch), "blocks");
  settings.adam_epsilon = 1e-6F;
  const core::GaussianCloud start = turned_cloud(scene.points, settings);
  const GaussianState alone = state_of_checkpoint(checkpoint_at(settings, 1, kStop, start));
  double of_rounding = 0;
  for (const float side : {-INFINITY, INFINITY}) {
    core::GaussianCloud next = start;
    for (int p = 0; p < next.parameters.plane_count(); ++p) {
      for (int64_t i = 0; i < next.size(); ++i) {
        next.plane(p)[i] = std::nextafter(next.plane(p)[i], side);
      }
    }
    const GaussianState got = state_of_checkpoint(checkpoint_at(settings, 1, kStop, next));
    of_rounding = std::max(of_rounding, drift_in_bounds(got, alone));
  }
  EXPECT_GT(of_rounding, 1);
  for (const int ranks : {2, 3, 4}) {
    const GaussianState many = state_of_checkpoint(checkpoint_at(settings, ranks, kStop, start));
    ASSERT_EQ(many.cloud.ids, alone.cloud.ids);
    EXPECT_LE(drift_in_bounds(many, alone), of_rounding) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace tessera::models
