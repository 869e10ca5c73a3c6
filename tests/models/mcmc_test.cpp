// Gaussians that are moved, drawn and shaken by the mcmc rule, on clouds made by hand.
// SPDX-License-Identifier: MIT
#include "models/gaussian/densify/densify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "distributed/backends/lone_rank.h"
#include "models/gaussian/densify/relocation.h"
#include "tests/models/made_gaussians.h"

namespace tessera::models {
namespace {

// Equation 9 as it stands in the paper: two sums, in long double.
double scale_factor_by_definition(double opacity, int n) {
  const long double o = 1 - std::pow(1 - static_cast<long double>(opacity), 1.0L / n);
  long double denominator = 0;
  for (int i = 1; i <= n; ++i) {
    long double binomial = 1;
    for (int k = 0; k < i; ++k) {
      if (k > 0) binomial = binomial * (i - k) / k;
      denominator += binomial * (k % 2 == 0 ? 1 : -1) / std::sqrt(k + 1.0L) * std::pow(o, k + 1);
    }
  }
  return static_cast<double>(opacity / denominator);
}

TEST(Relocation, EqualsTheDefinition) {
  for (const double opacity : {0.01, 0.1, 0.5, 0.9, 0.99}) {
    for (const int copies : {1, 2, 3, 7, 20, 51}) {
      const Relocated result = relocated(opacity, copies);
      EXPECT_NEAR(1 - std::pow(1 - result.opacity, copies), opacity, 1e-12);
      EXPECT_NEAR(result.scale_factor / scale_factor_by_definition(opacity, copies), 1, 1e-6)
          << opacity << " " << copies;
    }
  }
  EXPECT_DOUBLE_EQ(relocated(0.3, 1).scale_factor, 1);
  EXPECT_EQ(relocated(0.3, 1000).opacity, relocated(0.3, kMaxCopies).opacity);
}

class McmcDensify : public testing::Test {
 protected:
  McmcDensify() {
    settings.strategy = "mcmc";
    settings.mcmc_noise = 0;
    settings.max_gaussians = 1000000;
  }
  DensifyReport end(GaussianState& state, int64_t step = 600) {
    const Schedule schedule(settings, 1.0);
    return make_densifier(settings, schedule, *alone, pool)
        ->end_step(state, {step - 1, step, 1e-4F, 1.0});
  }
  TrainSettings settings;
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  core::ThreadPool pool{2};
};

TEST_F(McmcDensify, MovesTheDeadOntoTheLivingAndDividesThem) {
  settings.mcmc_growth = 0;
  GaussianState state = row_of(3, 0);
  state.cloud.plane(core::kOpacityPlane)[0] = logit(0.004);
  state.cloud.plane(core::kOpacityPlane)[2] = logit(0.005 - 1e-6);
  const DensifyReport report = end(state);
  EXPECT_EQ(report.relocated, 2);
  ASSERT_EQ(state.size(), 3);
  const Relocated expected = relocated(0.5, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(state.cloud.plane(core::kMeanPlane)[i], 1);
    EXPECT_NEAR(opacity_of(state.cloud, i), expected.opacity, 1e-6);
    EXPECT_NEAR(std::exp(state.cloud.plane(core::kLogScalePlane)[i]), 0.001 * expected.scale_factor,
                1e-9);
    EXPECT_EQ(state.first_moments.plane(5)[i], 0);
  }
  EXPECT_EQ(state.cloud.ids[0], 1U);
  EXPECT_EQ(state.cloud.ids[1], child_id(1, 600, 0));
  EXPECT_EQ(state.cloud.ids[2], child_id(1, 600, 1));
}

TEST_F(McmcDensify, GrowsByFivePercentUpToTheCap) {
  settings.max_gaussians = 1052;
  GaussianState state = row_of(1000, 0);
  EXPECT_EQ(end(state).added, 50);
  EXPECT_EQ(end(state, 700).added, 2);
  EXPECT_EQ(end(state, 800).added, 0);
  EXPECT_EQ(state.size(), 1052);
  const std::set<uint64_t> ids(state.cloud.ids.begin(), state.cloud.ids.end());
  EXPECT_EQ(ids.size(), 1052U);
}

TEST_F(McmcDensify, DrawsByOpacity) {
  settings.mcmc_growth = 1;
  GaussianState state = row_of(4000, 0);
  for (int i = 0; i < 4000; ++i) {
    state.cloud.plane(core::kOpacityPlane)[i] = logit(i < 2000 ? 0.2 : 0.8);
  }
  EXPECT_EQ(end(state).added, 4000);
  int from_strong = 0;
  for (int64_t i = 4000; i < 8000; ++i) {
    from_strong += state.cloud.plane(core::kMeanPlane)[i] >= 2000 ? 1 : 0;
  }
  EXPECT_NEAR(from_strong, 3200, 5 * std::sqrt(4000 * 0.8 * 0.2));
}

TEST_F(McmcDensify, NoiseFollowsTheCovarianceAndSparesTheOpaque) {
  settings.mcmc_noise = 5e5F;
  GaussianState state = row_of(4000, 0);
  for (int i = 0; i < 4000; ++i) {
    state.cloud.plane(core::kMeanPlane)[i] = 0;
    state.cloud.plane(core::kOpacityPlane)[i] = logit(i < 3000 ? 0.005 : 0.9);
    state.cloud.plane(core::kLogScalePlane + 1)[i] = std::log(0.01F);
    // A quarter turn about z: the long axis points along x.
    state.cloud.plane(core::kQuaternionPlane)[i] = std::sqrt(0.5F);
    state.cloud.plane(core::kQuaternionPlane + 3)[i] = std::sqrt(0.5F);
  }
  end(state, 601);
  double squares[3] = {0, 0, 0};
  for (int i = 0; i < 3000; ++i) {
    for (int a = 0; a < 3; ++a) {
      const double offset = state.cloud.plane(core::kMeanPlane + a)[i];
      squares[a] += offset * offset / 3000;
    }
  }
  const double strength = 5e5 * 1e-4 * 0.5;  // the sigmoid is 1/2 at opacity 0.005
  EXPECT_NEAR(std::sqrt(squares[0]) / (strength * 1e-4), 1, 0.06);
  EXPECT_NEAR(std::sqrt(squares[1]) / (strength * 1e-6), 1, 0.06);
  EXPECT_NEAR(std::sqrt(squares[2]) / (strength * 1e-6), 1, 0.06);
  for (int i = 3000; i < 4000; ++i) EXPECT_EQ(state.cloud.plane(core::kMeanPlane)[i], 0);
}

// A batch of B takes a B-th of the steps, and independent noise adds up by the root of their
// number.
TEST_F(McmcDensify, NoiseGrowsByTheRootOfTheBatch) {
  settings.mcmc_noise = 5e5F;
  const auto offset = [&](int batch) {
    settings.batch = batch;
    GaussianState state = row_of(1, 0);
    state.cloud.plane(core::kMeanPlane)[0] = 0;
    state.cloud.plane(core::kOpacityPlane)[0] = logit(0.01);
    end(state, 601);
    return state.cloud.plane(core::kMeanPlane)[0];
  };
  EXPECT_NE(offset(1), 0);
  EXPECT_NEAR(offset(4) / offset(1), 2, 1e-5);
  EXPECT_NEAR(offset(9) / offset(1), 3, 1e-5);
}

TEST_F(McmcDensify, RegularizersAreTheGradientsOfMeans) {
  GaussianState state = row_of(10, 0);
  core::Planes gradient(state.cloud.parameters.plane_count(), 10);
  const Schedule schedule(settings, 1.0);
  make_densifier(settings, schedule, *alone, pool)->add_gradient(state, state.size(), 2, gradient);
  EXPECT_NEAR(gradient.plane(core::kOpacityPlane)[4], 2 * 0.01 / 10 * 0.25, 1e-9);
  EXPECT_NEAR(gradient.plane(core::kLogScalePlane + 1)[4], 2 * 0.01 / 30 * 0.001, 1e-12);
  EXPECT_EQ(gradient.plane(0)[4], 0);
}

}  // namespace
}  // namespace tessera::models
