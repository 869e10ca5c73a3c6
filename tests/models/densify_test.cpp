// Growing, pruning and moving of Gaussians on clouds made by hand.
// SPDX-License-Identifier: MIT
#include "models/gaussian/densify/densify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

#include "core/error.h"
#include "distributed/backends/lone_rank.h"
#include "tests/models/made_gaussians.h"

namespace tessera::models {
namespace {

class DefaultDensify : public testing::Test {
 protected:
  // One view of 200x100 pixels whose gradient, in normalized device units, is `ndc` for each.
  void see(GaussianState& state, const std::vector<float>& ndc) {
    render::RasterizeGradient gradient;
    gradient.mean2d_x.resize(state.size());
    gradient.mean2d_y.resize(state.size());
    std::vector<float> radii(state.size());
    for (int64_t i = 0; i < state.size(); ++i) {
      gradient.mean2d_x[i] = ndc[i] * 0.6F / 100;
      gradient.mean2d_y[i] = ndc[i] * 0.8F / 50;
      radii[i] = ndc[i] != 0 ? 3.0F : 0.0F;
    }
    densifier().collect(state, {gradient, radii, 200, 100});
  }
  Densifier& densifier() {
    if (!densifier_) {
      schedule_ = std::make_unique<Schedule>(settings, 1.0);
      densifier_ = make_densifier(settings, *schedule_, *alone, pool);
    }
    return *densifier_;
  }
  DensifyReport end(GaussianState& state, int64_t step = 600) {
    return densifier().end_step(state, {step - 1, step, 1e-4F, 1.0});
  }

  DefaultDensify() { settings.max_gaussians = 1000000; }

  TrainSettings settings;
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  core::ThreadPool pool{2};

 private:
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<Densifier> densifier_;
};

TEST_F(DefaultDensify, ClonesTheSmallAndSplitsTheLargeAboveTheThreshold) {
  GaussianState state = row_of(4, 2);
  state.cloud.plane(core::kLogScalePlane + 1)[2] = std::log(0.05F);
  see(state, {1e-4F, 3e-4F, 3e-4F, 0});
  const DensifyReport report = end(state);
  EXPECT_EQ(report.cloned, 1);
  EXPECT_EQ(report.split, 1);
  EXPECT_EQ(report.pruned, 0);
  ASSERT_EQ(state.size(), 6);  // 0, 1, 3, the clone of 1, the halves of 2
  EXPECT_EQ(state.cloud.ids[2], 3U);
  EXPECT_EQ(state.cloud.ids[3], child_id(1, 600, 0));
  EXPECT_EQ(state.cloud.ids[4], child_id(2, 600, 0));
  EXPECT_EQ(state.cloud.ids[5], child_id(2, 600, 1));
  EXPECT_EQ(state.cloud.plane(core::kMeanPlane)[3], 1);
  EXPECT_NEAR(std::exp(state.cloud.plane(core::kLogScalePlane + 1)[4]), 0.05 / 1.6, 1e-7);
  EXPECT_NE(state.cloud.plane(core::kMeanPlane + 1)[4], state.cloud.plane(core::kMeanPlane + 1)[5]);
  EXPECT_NEAR(state.cloud.plane(core::kMeanPlane)[4], 2, 0.006);  // 6 deviations along x
}

TEST_F(DefaultDensify, MeansGradientsOverTheViewsThatSaw) {
  GaussianState state = row_of(2, 2);
  see(state, {3e-4F, 3e-4F});
  see(state, {1.5e-4F, 0});  // not seen: does not dilute
  see(state, {1e-4F, 0});
  const DensifyReport report = end(state);
  EXPECT_EQ(report.cloned, 1);
  EXPECT_EQ(state.cloud.ids[2], child_id(1, 600, 0));
}

TEST_F(DefaultDensify, NewOnesHaveNoMomentsAndOldOnesKeepTheirs) {
  GaussianState state = row_of(2, 2);
  see(state, {3e-4F, 0});
  end(state);
  ASSERT_EQ(state.size(), 3);
  for (int p = 0; p < state.first_moments.plane_count(); ++p) {
    EXPECT_EQ(state.first_moments.plane(p)[0], 1);
    EXPECT_EQ(state.first_moments.plane(p)[2], 0);
    EXPECT_EQ(state.second_moments.plane(p)[2], 0);
  }
  EXPECT_EQ(state.statistics.plane(0)[0], 0);
}

TEST_F(DefaultDensify, PrunesTheTransparentAndAfterTheResetTheHuge) {
  GaussianState state = row_of(3, 2);
  state.cloud.plane(core::kOpacityPlane)[0] = logit(0.004);
  state.cloud.plane(core::kLogScalePlane)[2] = std::log(0.2F);
  see(state, {0, 0, 0});
  EXPECT_EQ(end(state, 600).pruned, 1);
  EXPECT_EQ(state.size(), 2);
  EXPECT_EQ(end(state, 3100).pruned, 1);
  ASSERT_EQ(state.size(), 1);
  EXPECT_EQ(state.cloud.ids[0], 1U);
}

TEST_F(DefaultDensify, WithAbsgradTheAbsoluteGradientsCount) {
  settings.absgrad = true;
  GaussianState state = row_of(3, 2);
  render::RasterizeGradient gradient;
  for (core::Array<float>* values : {&gradient.mean2d_x, &gradient.mean2d_y,
                                     &gradient.absolute_mean2d_x, &gradient.absolute_mean2d_y}) {
    *values = core::Array<float>(3, 0.0F);
  }
  // In a picture of 200x100 pixels: the first is torn both ways, which cancels in its sum.
  gradient.absolute_mean2d_x[0] = 9e-4F / 100;
  gradient.mean2d_y[1] = 9e-4F / 50;
  gradient.absolute_mean2d_y[2] = 7e-4F / 50;  // below the threshold of absolute ones
  const std::vector<float> radii(3, 3.0F);
  densifier().collect(state, {gradient, radii, 200, 100});
  EXPECT_EQ(end(state).cloned, 1);
  ASSERT_EQ(state.size(), 4);
  EXPECT_EQ(state.cloud.ids[3], child_id(0, 600, 0));
}

TEST_F(DefaultDensify, CapLetsTheHighestGradientsGrow) {
  settings.max_gaussians = 5;
  GaussianState state = row_of(4, 2);
  see(state, {3e-4F, 5e-4F, 9e-4F, 4e-4F});
  EXPECT_EQ(end(state).cloned, 1);
  ASSERT_EQ(state.size(), 5);
  EXPECT_EQ(state.cloud.ids[4], child_id(2, 600, 0));
}

TEST_F(DefaultDensify, RoomBelowTheCapIsSpreadOverTheEventsLeft) {
  settings.iterations = 3000;  // events at 600, 700, ... 1500
  settings.max_gaussians = 120;
  GaussianState state = row_of(100, 2);
  std::vector<int64_t> sizes;
  for (int64_t step = 600; step <= 1500; step += 100) {
    see(state, std::vector<float>(state.size(), 9e-4F));
    end(state, step);
    sizes.push_back(state.size());
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{102, 104, 106, 108, 110, 112, 114, 116, 118, 120}));
}

TEST_F(DefaultDensify, ResetsOpacityAndItsMoments) {
  GaussianState state = row_of(2, 2);
  state.cloud.plane(core::kOpacityPlane)[1] = logit(0.007);
  see(state, {0, 0});
  end(state, 3000);
  EXPECT_NEAR(opacity_of(state.cloud, 0), 0.01, 1e-7);
  EXPECT_NEAR(opacity_of(state.cloud, 1), 0.007, 1e-7);
  EXPECT_EQ(state.first_moments.plane(core::kOpacityPlane)[0], 0);
  EXPECT_EQ(state.second_moments.plane(core::kOpacityPlane)[0], 0);
  EXPECT_EQ(state.first_moments.plane(core::kOpacityPlane - 1)[0], 1);
}

TEST_F(DefaultDensify, DoesNothingBetweenEvents) {
  GaussianState state = row_of(2, 2);
  see(state, {9e-4F, 9e-4F});
  EXPECT_FALSE(end(state, 601).rearranged());
  EXPECT_FALSE(end(state, 500).rearranged());
  EXPECT_EQ(state.size(), 2);
}

// id to all 59 parameters.
std::map<uint64_t, std::vector<float>> by_id(const core::GaussianCloud& cloud) {
  std::map<uint64_t, std::vector<float>> result;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    std::vector<float>& parameters = result[cloud.ids[i]];
    for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
      parameters.push_back(cloud.plane(p)[i]);
    }
  }
  return result;
}

GaussianState varied(int64_t size, int statistics_planes) {
  GaussianState state = row_of(size, statistics_planes);
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (int64_t i = 0; i < size; ++i) {
    state.cloud.plane(core::kOpacityPlane)[i] = logit(0.001 + 0.9 * uniform(random));
    state.cloud.plane(core::kLogScalePlane)[i] = std::log(0.02F * uniform(random) + 1e-4F);
    for (int k = 0; k < 4; ++k) state.cloud.plane(core::kQuaternionPlane + k)[i] += uniform(random);
    if (i % 10 == 3) state.cloud.plane(core::kOpacityPlane)[i] = logit(0.003);
    if (statistics_planes == 0) continue;
    state.statistics.plane(0)[i] = 5e-4F * uniform(random);
    state.statistics.plane(1)[i] = 1;
  }
  return state;
}

GaussianState stored_backwards(const GaussianState& state) {
  GaussianState result = state;
  std::vector<int64_t> order;
  for (int64_t i = state.size() - 1; i >= 0; --i) order.push_back(i);
  result.cloud.parameters.gather(order);
  result.first_moments.gather(order);
  result.second_moments.gather(order);
  result.statistics.gather(order);
  for (int64_t i = 0; i < state.size(); ++i) result.cloud.ids[i] = state.cloud.ids[order[i]];
  return result;
}

TEST(AnyDensifier, GivesTheSameChildrenHoweverGaussiansAreStored) {
  for (const DensifierEntry& entry : densifiers()) {
    TrainSettings settings;
    settings.strategy = entry.name;
    settings.max_gaussians = 230;
    const Schedule schedule(settings, 1.0);
    const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
    core::ThreadPool one(1);
    core::ThreadPool three(3);
    const auto first = make_densifier(settings, schedule, *alone, one);
    const auto second = make_densifier(settings, schedule, *alone, three);
    GaussianState state = varied(200, first->statistics_planes());
    GaussianState backwards = stored_backwards(state);
    const StepEnd step = {799, 800, 1e-4F, 1.0};
    const DensifyReport report = first->end_step(state, step);
    second->end_step(backwards, step);
    EXPECT_TRUE(report.rearranged()) << entry.name;
    EXPECT_EQ(by_id(state.cloud), by_id(backwards.cloud)) << entry.name;
    EXPECT_EQ(by_id(state.cloud).size(), static_cast<size_t>(state.size())) << entry.name;
  }
}

TEST(AnyDensifier, UnknownNamesAreAnsweredWithTheKnown) {
  TrainSettings settings;
  settings.strategy = "growth";
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  core::ThreadPool pool(1);
  try {
    make_densifier(settings, Schedule(settings, 1), *alone, pool);
    FAIL();
  } catch (const core::UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("default, mcmc"), std::string::npos);
  }
}

TEST(NonFinite, AreDroppedAndTheOthersStay) {
  core::ThreadPool pool(2);
  GaussianState state = row_of(5, 2);
  for (int i = 0; i < 5; ++i) state.statistics.plane(1)[i] = static_cast<float>(i);
  state.cloud.plane(core::kShPlane + 7)[1] = NAN;
  state.cloud.plane(core::kMeanPlane)[3] = INFINITY;
  EXPECT_EQ(drop_non_finite(state, pool), 2);
  ASSERT_EQ(state.size(), 3);
  EXPECT_EQ(state.cloud.ids[1], 2U);
  EXPECT_EQ(state.first_moments.plane(0)[2], 1);
  EXPECT_EQ(state.statistics.plane(1)[2], 4);
  EXPECT_EQ(drop_non_finite(state, pool), 0);
}

TEST(ChildId, IsUniqueAndMarked) {
  std::set<uint64_t> ids;
  for (uint64_t parent = 0; parent < 100; ++parent) {
    for (int64_t step = 600; step < 1000; step += 100) {
      for (uint64_t number = 0; number < 3; ++number) {
        const uint64_t id = child_id(parent, step, number);
        EXPECT_EQ(id >> 63, 1U);
        ids.insert(id);
      }
    }
  }
  EXPECT_EQ(ids.size(), 1200U);
}

}  // namespace
}  // namespace tessera::models
