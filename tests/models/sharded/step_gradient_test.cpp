// The gradient of a step on several ranks is that of one.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "models/gaussian/sharded/sharded_pass.h"
#include "tests/models/sharded/ranks_fixture.h"
#include "tests/models/sharded/tolerance.h"
#include "tests/models/sharded/turned_cloud.h"

namespace tessera::models {
namespace {

class StepGradientTest : public RanksTest {
 protected:
  static std::vector<StepView> step_of(int views) {
    std::vector<StepView> step(views);
    for (int k = 0; k < views; ++k) {
      step[k] = {k + 1, k + 1, k, {0.1F * static_cast<float>(k), 0.5F, 0.2F}};
    }
    return step;
  }

  struct Result {
    std::vector<double> losses;
    core::Planes gradient;  // of all Gaussians, in the cloud's order
  };

  Result gradient_on(const TrainSettings& settings, const core::GaussianCloud& cloud, int ranks) {
    Result result;
    result.gradient.reset(cloud.parameters.plane_count(), cloud.size());
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      MemoryPhotos photos = scene.photos;
      CameraCorrections corrections(settings, 1, photos.count(), pool);
      StageClock clock;
      const PassContext context = {settings, photos, corrections, pool, clock};
      const std::unique_ptr<ViewPass> pass =
          ranks == 1 ? make_single_pass(context) : make_sharded_pass(context, communicator);
      const core::GaussianCloud own = own_share(cloud, communicator, pool);
      render::RasterizeGradient gradient;
      gradient.parameters.reset(own.parameters.plane_count(), own.size());
      const std::vector<StepView> step = step_of(settings.batch);
      clock.begin(settings.batch);
      const std::vector<double> losses =
          pass->run(own, step, {}, gradient, [](const ViewStatistics& /*view*/) {});
      clock.end();
      if (communicator.rank() == 0) result.losses = losses;
      const IndexRange share = share_of(cloud.size(), share_of_rank(communicator));
      for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
        std::copy_n(gradient.parameters.plane(p), own.size(),
                    result.gradient.plane(p) + share.begin);
      }
    });
    return result;
  }

  static TrainSettings settings_of_degree_3(int batch, const char* partition) {
    TrainSettings settings = settings_of(batch);
    settings.sh_degree = 3;
    settings.partition = partition;
    return settings;
  }
};

TEST_F(StepGradientTest, InWholeViewsHasTheSameBits) {
  const TrainSettings settings = settings_of_degree_3(4, "views");
  const core::GaussianCloud cloud = turned_cloud(scene.points, settings);
  ASSERT_EQ(cloud.parameters.plane_count(), 59);
  const Result alone = gradient_on(settings, cloud, 1);
  for (int p = 0; p < 59; ++p) {
    const float* plane = alone.gradient.plane(p);
    EXPECT_LT(std::count(plane, plane + cloud.size(), 0.0F), cloud.size() / 2) << "plane " << p;
  }
  for (const int ranks : {2, 3, 4}) {
    const Result many = gradient_on(settings, cloud, ranks);
    EXPECT_EQ(many.losses, alone.losses) << ranks << " ranks";
    EXPECT_TRUE(many.gradient == alone.gradient) << ranks << " ranks";
  }
}

TEST_F(StepGradientTest, InPartsOfViewsIsTheSameWithinRounding) {
  for (const auto& [partition, batch] :
       {std::pair{"blocks", 1}, {"blocks", 4}, {"balanced", 2}, {"balanced", 5}}) {
    const TrainSettings settings = settings_of_degree_3(batch, partition);
    const core::GaussianCloud cloud = turned_cloud(scene.points, settings);
    const Result alone = gradient_on(settings, cloud, 1);
    for (const int ranks : {2, 3, 4}) {
      SCOPED_TRACE(testing::Message()
                   << partition << ", " << batch << " views, " << ranks << " ranks");
      const Result many = gradient_on(settings, cloud, ranks);
      expect_within_rounding(many.gradient, alone.gradient, "gradient");
    }
  }
}

}  // namespace
}  // namespace tessera::models
