// A run on several ranks gives what a run on one gives.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/sharded/ranks_fixture.h"

namespace tessera::models {
namespace {

void expect_near(const core::GaussianCloud& a, const core::GaussianCloud& b, double tolerance) {
  ASSERT_EQ(a.ids, b.ids);
  for (int p = 0; p < a.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a.plane(p)[i], b.plane(p)[i], tolerance * (1 + std::fabs(a.plane(p)[i])))
          << "plane " << p << ", Gaussian " << i;
    }
  }
}

TEST_F(RanksTest, WholeViewsGiveTheSameBits) {
  for (const char* strategy : {"default", "mcmc"}) {
    TrainSettings settings = settings_of(4, strategy);
    settings.random_background = true;
    const RanksResult alone = train(settings, 1);
    for (const int ranks : {2, 3, 4}) {
      const RanksResult many = train(settings, ranks);
      EXPECT_EQ(many.losses, alone.losses) << strategy << ", " << ranks << " ranks";
      EXPECT_EQ(many.cloud.ids, alone.cloud.ids) << strategy << ", " << ranks << " ranks";
      EXPECT_TRUE(many.cloud.parameters == alone.cloud.parameters)
          << strategy << ", " << ranks << " ranks";
    }
  }
}

// Without growth, whose thresholds would make much of little. Adam's epsilon is raised so that
// gradients that are but rounding do not become whole steps.
TrainSettings settled(TrainSettings settings) {
  settings.densify_from = settings.densify_until = settings.iterations;
  settings.adam_epsilon = 1e-6F;
  return settings;
}

TEST_F(RanksTest, BlocksGiveTheSameWithinRounding) {
  TrainSettings settings = settled(settings_of(1));
  settings.iterations = 30;
  const RanksResult alone = train(settings, 1);
  for (const int ranks : {2, 3, 4}) {
    const RanksResult many = train(settings, ranks);
    EXPECT_NEAR(many.losses.back(), alone.losses.back(), 1e-5) << ranks;
    expect_near(many.cloud, alone.cloud, 2e-4);
  }
}

TEST_F(RanksTest, RunsWithMoreRanksThanGaussiansOrTilesEnd) {
  TrainSettings settings = settled(settings_of(1));
  settings.iterations = 8;
  scene.points.resize(5);
  const RanksResult alone = train(settings, 1);
  const RanksResult many = train(settings, 8);
  ASSERT_EQ(many.cloud.size(), 5);
  expect_near(many.cloud, alone.cloud, 2e-4);
}

TEST_F(RanksTest, ExposuresAndPosesAreLearnedAlike) {
  for (const int batch : {1, 3}) {
    TrainSettings settings = settled(settings_of(batch));
    settings.iterations = 24;
    settings.exposure = settings.pose_opt = true;
    const RanksResult alone = train(settings, 1);
    const RanksResult many = train(settings, 3);
    EXPECT_NEAR(many.losses.back(), alone.losses.back(), 1e-5);
    expect_near(many.cloud, alone.cloud, 5e-4);
  }
}

}  // namespace
}  // namespace tessera::models
