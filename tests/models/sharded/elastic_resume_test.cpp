// A run that goes on with another number of ranks.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/models/sharded/checkpointed_ranks.h"
#include "tests/models/sharded/tolerance.h"
#include "tests/models/sharded/turned_cloud.h"

namespace tessera::models {
namespace {

// By strategy and the number of ranks that save.
class ElasticResumeTest : public CheckpointedRanksTest,
                          public testing::WithParamInterface<std::tuple<std::string, int>> {};

TEST_P(ElasticResumeTest, AnyNumberOfRanksGoesOnWithTheSameBits) {
  constexpr int kBatch = 4;
  constexpr int64_t kStop = 12 * kBatch;
  const auto& [strategy, saved_by] = GetParam();
  TrainSettings settings = settings_of(kBatch, strategy);
  settings.partition = "views";
  settings.random_background = true;
  settings.iterations = settings.densify_until = 22 * kBatch;
  const GaussianState whole = state_of_checkpoint(checkpoint_at(settings, 1, settings.iterations));
  const std::filesystem::path saved = checkpoint_at(settings, saved_by, kStop);
  ASSERT_EQ(checkpoint_step(saved), kStop);
  const int64_t size_then = state_of_checkpoint(saved).size();
  EXPECT_GT(size_then, 60);            // it grew before
  EXPECT_GT(whole.size(), size_then);  // and after
  for (const int loaded_by : {1, 2, 3, 4}) {
    SCOPED_TRACE(testing::Message() << "continued by " << loaded_by << " ranks");
    const std::filesystem::path end = continued_from(saved, loaded_by);
    ASSERT_EQ(checkpoint_step(end), settings.iterations);
    const GaussianState got = state_of_checkpoint(end);
    EXPECT_EQ(got.cloud.ids, whole.cloud.ids);
    EXPECT_TRUE(got.cloud.parameters == whole.cloud.parameters);
    EXPECT_TRUE(got.first_moments == whole.first_moments);
    EXPECT_TRUE(got.second_moments == whole.second_moments);
    EXPECT_TRUE(got.statistics == whole.statistics);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, ElasticResumeTest,
                         testing::Combine(testing::Values("default", "mcmc"),
                                          testing::Values(1, 2, 3, 4)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_saved_by_" +
                                  std::to_string(std::get<1>(test.param));
                         });

// Sums of a step whose views are cut have another order on other ranks; that apart, ten further
// steps are those of one rank. Adam's epsilon is raised so that gradients that are but rounding do
// not become whole steps.
class BalancedElasticResumeTest : public CheckpointedRanksTest,
                                  public testing::WithParamInterface<int> {};

TEST_P(BalancedElasticResumeTest, AnyNumberOfRanksGoesOnWithTheSameWithinRounding) {
  constexpr int kBatch = 5;  // more than ranks, but no multiple of any number of them: some are cut
  constexpr int64_t kStop = 12 * kBatch;
  TrainSettings settings = settings_of(kBatch);
  settings.partition = "balanced";
  settings.adam_epsilon = 1e-6F;
  settings.densify_until = kStop;  // what rounding decides of growth comes before
  settings.opacity_reset_interval = 0;
  settings.iterations = kStop + 10 * kBatch;
  const std::filesystem::path saved =
      checkpoint_at(settings, GetParam(), kStop, turned_cloud(scene.points, settings));
  ASSERT_EQ(checkpoint_step(saved), kStop);
  const GaussianState then = state_of_checkpoint(saved);
  EXPECT_GT(then.size(), 60);  // it grew before
  const GaussianState alone = state_of_checkpoint(continued_from(saved, 1));
  EXPECT_FALSE(alone.cloud.parameters == then.cloud.parameters);
  for (const int loaded_by : {2, 3, 4}) {
    SCOPED_TRACE(testing::Message() << "continued by " << loaded_by << " ranks");
    const std::filesystem::path end = continued_from(saved, loaded_by);
    ASSERT_EQ(checkpoint_step(end), settings.iterations);
    const GaussianState got = state_of_checkpoint(end);
    ASSERT_EQ(got.cloud.ids, alone.cloud.ids);
    EXPECT_FALSE(got.cloud.parameters == alone.cloud.parameters) << "no view was cut";
    expect_within_rounding(got.cloud.parameters, alone.cloud.parameters, "parameters");
    expect_within_rounding(got.first_moments, alone.first_moments, "first moments");
    expect_within_rounding(got.second_moments, alone.second_moments, "second moments");
    // The same again on as many ranks.
    const GaussianState again = state_of_checkpoint(continued_from(saved, loaded_by));
    EXPECT_TRUE(again.cloud.parameters == got.cloud.parameters);
    EXPECT_TRUE(again.second_moments == got.second_moments);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, BalancedElasticResumeTest, testing::Values(1, 2, 3, 4),
                         [](const auto& test) { return "saved_by_" + std::to_string(test.param); });

}  // namespace
}  // namespace tessera::models
