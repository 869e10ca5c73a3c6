// Pictures drawn by ranks that share the Gaussians, against those of one rank that has them all.
// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/sharded_renderer.h"

#include <gtest/gtest.h>

#include "tests/models/made_gaussians.h"
#include "tests/models/sharded/ranks_fixture.h"
#include "tests/support/random_scene.h"

namespace tessera::models {
namespace {

class ShardedRendererTest : public RanksTest {
 protected:
  // Balls of many colors and opacities.
  core::GaussianCloud cloud() {
    core::ThreadPool pool(1);
    core::GaussianCloud cloud = cloud_from_points(scene.points, quick_settings(), pool);
    test::Random random(7);
    for (int p = core::kLogScalePlane; p < cloud.parameters.plane_count(); ++p) {
      for (int64_t i = 0; i < cloud.size(); ++i) {
        cloud.plane(p)[i] += static_cast<float>(0.4 * random.normal());
      }
    }
    return cloud;
  }
};

TEST_F(ShardedRendererTest, APictureHasTheBitsOfOneRank) {
  const core::GaussianCloud whole = cloud();
  render::RasterizeOptions options;
  options.sh_degree = whole.sh_degree;
  options.background = {0.2F, 0.4F, 0.6F};
  core::ThreadPool pool(1);
  const std::unique_ptr<render::Rasterizer> rasterizer = render::make_rasterizer("cpu", pool);
  std::vector<render::RenderOutput> expected(scene.photos.count());
  for (int v = 0; v < scene.photos.count(); ++v) {
    rasterizer->forward(whole, scene.photos.camera(v), options, expected[v]);
  }
  for (const int ranks : {1, 2, 3, 4}) {
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool own_pool(1);
      GaussianState own = state_of(whole);
      keep_share(own, communicator, own_pool);
      ShardedRenderer renderer(communicator, own_pool);
      core::ImageF picture;
      for (int v = 0; v <= ranks; ++v) {
        const int at = v % ranks;
        renderer.draw(own.cloud, scene.photos.camera(v), options, at, picture);
        if (at != communicator.rank()) continue;
        EXPECT_EQ(picture.data, expected[v].color.data)
            << "view " << v << ", " << ranks << " ranks";
      }
    });
  }
}

}  // namespace
}  // namespace tessera::models
