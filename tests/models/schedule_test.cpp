// The schedules as numbers.
// SPDX-License-Identifier: MIT
#include "models/gaussian/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"

namespace tessera::models {
namespace {

TEST(Schedule, StandardRunHasTheOriginalsRates) {
  const Schedule schedule(TrainSettings{}, 2.0);
  const LearningRates first = schedule.rates(0);
  EXPECT_FLOAT_EQ(first.position, 1.6e-4F * 2);
  EXPECT_FLOAT_EQ(first.sh, 2.5e-3F);
  EXPECT_FLOAT_EQ(first.sh_rest, 1.25e-4F);
  EXPECT_FLOAT_EQ(first.opacity, 0.025F);
  EXPECT_FLOAT_EQ(first.scale, 5e-3F);
  EXPECT_FLOAT_EQ(first.rotation, 1e-3F);
  EXPECT_NEAR(schedule.rates(15000).position, 1.6e-5F * 2, 1e-10);
  EXPECT_NEAR(schedule.rates(30000).position, 1.6e-6F * 2, 1e-11);
}

TEST(Schedule, PositionRateDecaysOverShortRunsAndStaysAfterLongOnes) {
  TrainSettings settings;
  // To a tenth of its start in a very short one, to a hundredth in a standard one.
  settings.iterations = 3000;
  EXPECT_NEAR(Schedule(settings, 1).rates(3000).position, 1.6e-5F, 1e-10);
  EXPECT_NEAR(Schedule(settings, 1).rates(1500).position, 1.6e-4F * std::sqrt(0.1F), 1e-9);
  settings.iterations = 7500;
  EXPECT_NEAR(Schedule(settings, 1).rates(7500).position, 8 * 1.6e-6F, 1e-10);
  settings.strategy = "mcmc";
  EXPECT_NEAR(Schedule(settings, 1).rates(7500).position, 1.6e-6F, 1e-11);
  settings.strategy = "default";
  settings.position_rate_final = 2e-6F;
  EXPECT_NEAR(Schedule(settings, 1).rates(7500).position, 2e-6F, 1e-11);
  settings.position_rate_final = -1;
  settings.iterations = 60000;
  const Schedule longer(settings, 1);
  EXPECT_NEAR(longer.rates(15000).position, 1.6e-5F, 1e-10);
  EXPECT_FLOAT_EQ(longer.rates(50000).position, longer.rates(30000).position);
}

TEST(Schedule, HigherDegreesLearnFasterInShortRuns) {
  TrainSettings settings;
  EXPECT_NEAR(Schedule(settings, 1).rates(0).sh_rest, 2.5e-3F / 20, 1e-9);
  settings.iterations = 15000;
  EXPECT_NEAR(Schedule(settings, 1).rates(0).sh_rest, 2.5e-3F / 20 * std::sqrt(2.0F), 1e-9);
  settings.iterations = 7000;
  EXPECT_NEAR(Schedule(settings, 1).rates(0).sh_rest, 2.5e-3F / 10, 1e-9);
  settings.strategy = "mcmc";
  EXPECT_NEAR(Schedule(settings, 1).rates(0).sh_rest, 2.5e-3F / 20, 1e-9);
  settings.sh_rest_divisor = 5;
  EXPECT_NEAR(Schedule(settings, 1).rates(0).sh_rest, 2.5e-3F / 5, 1e-9);
}

TEST(Schedule, DegreeGrowsEveryThousandUpToTheSettings) {
  TrainSettings settings;
  settings.sh_degree = 2;
  const Schedule schedule(settings, 1);
  EXPECT_EQ(schedule.sh_degree(0), 0);
  EXPECT_EQ(schedule.sh_degree(999), 0);
  EXPECT_EQ(schedule.sh_degree(1000), 1);
  EXPECT_EQ(schedule.sh_degree(2000), 2);
  EXPECT_EQ(schedule.sh_degree(29999), 2);
  settings.sh_start_degree = 1;
  EXPECT_EQ(Schedule(settings, 1).sh_degree(0), 1);
  EXPECT_EQ(Schedule(settings, 1).sh_degree(2500), 2);
}

struct Window {
  const char* strategy;
  int64_t iterations, from, until;
};

TEST(Schedule, GrowthWindows) {
  const Window windows[] = {
      {"default", 30000, 500, 15000}, {"default", 60000, 500, 15000}, {"default", 7000, 500, 3500},
      {"default", 3000, 500, 1500},   {"default", 600, 100, 300},     {"mcmc", 30000, 500, 25000},
      {"mcmc", 3000, 500, 2500},      {"mcmc", 600, 100, 500},
  };
  for (const Window& window : windows) {
    TrainSettings settings;
    settings.strategy = window.strategy;
    settings.iterations = window.iterations;
    const Schedule schedule(settings, 1);
    EXPECT_EQ(schedule.densify_from(), window.from) << window.strategy << window.iterations;
    EXPECT_EQ(schedule.densify_until(), window.until) << window.strategy << window.iterations;
  }
}

TEST(Schedule, DensifiesEveryHundredInsideTheWindow) {
  TrainSettings settings;
  settings.iterations = 3000;
  const Schedule schedule(settings, 1);
  std::vector<int64_t> steps;
  for (int64_t before = 0; before < 3000; ++before) {
    if (schedule.densifies(before, before + 1)) steps.push_back(before + 1);
  }
  ASSERT_EQ(steps.size(), 10U);
  EXPECT_EQ(steps.front(), 600);
  EXPECT_EQ(steps.back(), 1500);
}

TEST(Schedule, BatchesCountImagesAndMissNoEvent) {
  const Schedule schedule(TrainSettings{}, 1);
  int events = 0;
  for (int64_t before = 0; before < 30000; before += 7) {
    events += schedule.densifies(before, before + 7) ? 1 : 0;
  }
  EXPECT_EQ(events, 145);  // 600, 700, ..., 15000, each once
}

std::vector<int64_t> resets(int64_t iterations) {
  TrainSettings settings;
  settings.iterations = iterations;
  const Schedule schedule(settings, 1);
  std::vector<int64_t> steps;
  for (int64_t before = 0; before < iterations; ++before) {
    if (schedule.resets_opacity(before, before + 1)) steps.push_back(before + 1);
  }
  return steps;
}

TEST(Schedule, OpacityResets) {
  EXPECT_EQ(resets(30000), (std::vector<int64_t>{3000, 6000, 9000, 12000, 15000}));
  EXPECT_EQ(resets(7000), (std::vector<int64_t>{3000}));
  EXPECT_TRUE(resets(4000).empty());
  EXPECT_TRUE(resets(3000).empty());
}

TEST(Schedule, LargeOnesArePrunedAfterTheFirstReset) {
  const Schedule schedule(TrainSettings{}, 1);
  EXPECT_FALSE(schedule.prunes_large(3000));
  EXPECT_TRUE(schedule.prunes_large(3100));
}

TEST(Schedule, SquareRootRuleForBatches) {
  TrainSettings settings;
  const AdamConstants one = adam_constants(settings);
  EXPECT_EQ(one.rate_factor, 1.0);
  EXPECT_EQ(one.beta1, 0.9);
  EXPECT_EQ(one.beta2, 0.999);
  EXPECT_EQ(one.epsilon, double{1e-15F});
  settings.batch = 4;
  const AdamConstants four = adam_constants(settings);
  EXPECT_DOUBLE_EQ(four.rate_factor, 2.0);
  EXPECT_DOUBLE_EQ(four.beta1, 0.9 * 0.9 * 0.9 * 0.9);
  EXPECT_NEAR(four.beta2, std::pow(0.999, 4), 1e-15);
  EXPECT_DOUBLE_EQ(four.epsilon, double{1e-15F} / 2);
}

TEST(Settings, SurviveJson) {
  TrainSettings settings;
  settings.iterations = 1234;
  settings.seed = 0xFFFFFFFFFFFFFFFFU;
  settings.strategy = "mcmc";
  settings.background = {0.1F, 0.2F, 1.0F};
  settings.adam_epsilon = 3e-16F;
  settings.pose_opt = true;
  EXPECT_EQ(settings_from_json(to_json(settings)), settings);
}

TEST(Settings, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(settings_from_json(R"({"iteration": 5})"), core::UsageError);
  EXPECT_THROW(settings_from_json(R"({"iterations": "many"})"), core::UsageError);
  EXPECT_THROW(settings_from_json("not JSON"), core::UsageError);
  EXPECT_EQ(settings_from_json(R"({"iterations": 5})").iterations, 5);
}

TEST(Settings, RefuseWhatCannotBeMeant) {
  TrainSettings settings;
  settings.sh_degree = 5;
  EXPECT_THROW(check(settings), core::UsageError);
  settings = {};
  settings.iterations = 0;
  EXPECT_THROW(check(settings), core::UsageError);
  settings = {};
  settings.near_plane = NAN;
  EXPECT_THROW(check(settings), core::UsageError);
  EXPECT_NO_THROW(check(TrainSettings{}));
}

}  // namespace
}  // namespace tessera::models
