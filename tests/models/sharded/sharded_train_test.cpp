// A run on several ranks gives what a run on one gives.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "models/gaussian/sharded/round.h"
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
    settings.partition = "views";
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

TEST_F(RanksTest, OverlapChangesNoBits) {
  struct Case {
    int ranks, batch;
    const char* partition;
  };
  for (const Case& c : {Case{2, 4, "views"},
                        {3, 6, "views"},
                        {2, 2, "blocks"},
                        {3, 2, "blocks"},
                        {3, 4, "balanced"}}) {
    TrainSettings settings = settings_of(c.batch);
    settings.iterations = 32 * c.batch;
    settings.partition = c.partition;
    settings.overlap = false;
    const RanksResult in_turn = train(settings, c.ranks);
    settings.overlap = true;
    const RanksResult at_once = train(settings, c.ranks);
    EXPECT_GT(at_once.losses.size(), 30U);
    EXPECT_GT(at_once.cloud.size(), 60);  // it grew
    EXPECT_EQ(at_once.losses, in_turn.losses) << c.partition << ", " << c.ranks << " ranks";
    EXPECT_EQ(at_once.cloud.ids, in_turn.cloud.ids);
    EXPECT_TRUE(at_once.cloud.parameters == in_turn.cloud.parameters)
        << c.partition << ", " << c.ranks << " ranks";
  }
}

TEST_F(RanksTest, ThePartitionIsTheOneAskedFor) {
  for (const auto& [views, ranks] : {std::pair{1, 2}, {2, 2}, {5, 3}, {3, 5}}) {
    EXPECT_EQ(partition_of("views", views, ranks), Partition::kWholeViews);
    EXPECT_EQ(partition_of("balanced", views, ranks), Partition::kBalancedViews);
    EXPECT_EQ(partition_of("blocks", views, ranks), Partition::kBlocks);
    EXPECT_EQ(partition_of("auto", views, ranks),
              views >= ranks ? Partition::kWholeViews : Partition::kBlocks);
  }
  TrainSettings settings = settled(settings_of(1));
  settings.iterations = 30;
  settings.partition = "views";  // one rank draws, the others only own
  const RanksResult whole = train(settings, 3);
  const RanksResult alone = train(settings, 1);
  EXPECT_EQ(whole.losses, alone.losses);
  EXPECT_TRUE(whole.cloud.parameters == alone.cloud.parameters);
  settings.batch = 3;
  const RanksResult threes = train(settings, 1);
  for (const char* partition : {"balanced", "blocks"}) {
    settings.partition = partition;
    expect_near(train(settings, 2).cloud, threes.cloud, 2e-4);
  }
  settings.partition = "stripes";
  EXPECT_THROW(check(settings), core::UsageError);
}

TEST_F(RanksTest, DepthsAreLearnedAlike) {
  for (MemoryPhotos::View& view : scene.photos.views) {
    core::ImageF& depth = view.photo.depth;
    depth = core::ImageF(view.photo.pixels.width, view.photo.pixels.height, 1);
    for (int64_t i = 0; i < depth.data.size(); ++i) {
      depth.data[i] = i % 3 == 0 ? 0 : 3.5F + 0.01F * static_cast<float>(i % 100);
    }
  }
  TrainSettings settings = settled(settings_of(1));
  settings.iterations = 30;
  const double without = train(settings, 2).losses.back();
  settings.depth_weight = 0.2F;
  const RanksResult alone = train(settings, 1);
  EXPECT_GT(std::fabs(alone.losses.back() - without), 1e-3);
  for (const int ranks : {2, 3, 4}) {
    settings.partition = ranks == 3 ? "balanced" : "blocks";
    const RanksResult parts = train(settings, ranks);
    EXPECT_NEAR(parts.losses.back(), alone.losses.back(), 1e-5) << ranks;
    expect_near(parts.cloud, alone.cloud, 5e-4);
    settings.partition = "views";
    EXPECT_TRUE(train(settings, ranks).cloud.parameters == alone.cloud.parameters) << ranks;
  }
}

TEST_F(RanksTest, ALossThatIsNoNumberEndsAllRanksAlike) {
  TrainSettings settings = settings_of(2);
  settings.depth_weight = 1;
  MemoryPhotos::View& view = scene.photos.views[3];
  view.photo.depth = core::ImageF(view.photo.pixels.width, view.photo.pixels.height, 1);
  view.photo.depth.data.fill(1e-42F);  // its inverse is no number
  for (const char* partition : {"views", "balanced", "blocks"}) {
    for (const char* precision : {"float32", "compressed"}) {
      settings.partition = partition;
      settings.message_precision = precision;
      try {
        train(settings, 2);
        FAIL();
      } catch (const core::Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("on photo view_3.png")) << partition;
      }
    }
  }
}

TEST_F(RanksTest, AStepThatIsTakenAgainLeavesNothingBehind) {
  TrainSettings settings = settings_of(4);
  settings.iterations = 40;
  settings.exposure = settings.pose_opt = true;
  const auto broken = [](core::GaussianCloud& start) { start.plane(core::kShPlane)[7] = NAN; };
  const RanksResult alone = train(settings, 1, broken);
  for (const int ranks : {2, 3}) {
    const RanksResult many = train(settings, ranks, broken);
    EXPECT_EQ(many.losses.front(), alone.losses.front()) << ranks;
    EXPECT_NEAR(many.losses.back(), alone.losses.back(), 1e-3) << ranks;
    for (const char* precision : {"float32", "compressed"}) {
      TrainSettings in_blocks = settings;
      in_blocks.partition = "blocks";
      in_blocks.message_precision = precision;
      const RanksResult blocks = train(in_blocks, ranks, broken);
      EXPECT_NEAR(blocks.losses.front(), alone.losses.front(), 1e-4) << precision;
      EXPECT_NEAR(blocks.losses.back(), alone.losses.back(), 0.05 * alone.losses.back());
    }
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
  for (const auto& [batch, partition] : {std::pair{1, "blocks"}, {3, "views"}, {4, "balanced"}}) {
    TrainSettings settings = settled(settings_of(batch));
    settings.partition = partition;
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
