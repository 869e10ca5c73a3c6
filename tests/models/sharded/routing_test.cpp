// What is routed to each rank's block is what a search through all splats and tiles finds.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include "models/gaussian/sharded/splat_exchange.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "render/gaussian/backends/cpu.h"
#include "tests/models/sharded/ranks_fixture.h"

namespace tessera::models {
namespace {

using Ids = std::set<uint64_t>;

// A splat goes to a window if its bounding box, and a pixel around it, meets one of its tiles.
bool touches_a_tile(const render::CpuSplat& splat, const core::PixelWindow& window) {
  const float x = splat.half_width + 1, y = splat.half_height + 1;
  for (int top = window.top; top < window.bottom(); top += render::kTileSize) {
    for (int left = window.left; left < window.right(); left += render::kTileSize) {
      const core::PixelWindow tile =
          core::intersection({left, top, render::kTileSize, render::kTileSize}, window);
      if (splat.mean_x + x >= static_cast<float>(tile.left) &&
          splat.mean_x - x <= static_cast<float>(tile.right()) &&
          splat.mean_y + y >= static_cast<float>(tile.top) &&
          splat.mean_y - y <= static_cast<float>(tile.bottom())) {
        return true;
      }
    }
  }
  return false;
}

// Whether any pixel of the window gets an alpha of at least 1/255.
bool is_drawn_in(const render::CpuSplat& splat, const core::PixelWindow& window) {
  for (int y = window.top; y < window.bottom(); ++y) {
    for (int x = window.left; x < window.right(); ++x) {
      const double dx = x + 0.5 - splat.mean_x, dy = y + 0.5 - splat.mean_y;
      const double log2_alpha = splat.log2_opacity + splat.conic_xx * dx * dx +
                                splat.conic_xy * dx * dy + splat.conic_yy * dy * dy;
      if (log2_alpha >= -std::log2(255.0)) return true;
    }
  }
  return false;
}

TEST_F(RanksTest, BlocksGetTheSplatsThatTouchTheirTiles) {
  constexpr int kRanks = 3;
  const TrainSettings settings = settings_of(1);
  const int views = scene.photos.count();
  std::vector<std::vector<Ids>> got(views, std::vector<Ids>(kRanks));
  std::vector<Round> rounds(views);
  distributed::run_in_threads(kRanks, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    const core::GaussianCloud own =
        own_share(cloud_from_points(scene.points, settings, pool), communicator, pool);
    std::vector<std::unique_ptr<render::CpuProjection>> projections;
    std::vector<Round> cut;
    for (int v = 0; v < views; ++v) {
      const core::PosedCamera& camera = scene.photos.camera(v);
      projections.push_back(
          std::make_unique<render::CpuProjection>(pool, render::chosen_cpu_kernels()));
      projections[v]->forward(own, camera, {});
      const core::PixelWindow picture = {0, 0, camera.camera.width, camera.camera.height};
      cut.push_back(
          blocks(v, picture, kRanks, TileCosts().next(communicator, v, *projections[v], picture)));
    }
    SplatExchange exchange(communicator, pool, make_message_coding(settings, pool), true);
    exchange.begin(own, projections, 0);
    exchange.route(cut);
    for (int v = 0; v < views; ++v) {
      exchange.start_splats(v);
      exchange.finish_splats(v);
      const render::CpuSplatList splats = exchange.splats(0);
      Ids& ids = got[v][communicator.rank()];
      for (const uint32_t i : splats.which) {
        EXPECT_TRUE(ids.insert(splats.ids[i]).second) << "came twice: " << splats.ids[i];
      }
    }
    if (communicator.rank() == 0) rounds = cut;
  });

  core::ThreadPool pool(1);
  const core::GaussianCloud all = cloud_from_points(scene.points, settings, pool);
  render::CpuProjection projection(pool, render::chosen_cpu_kernels());
  size_t routed = 0, left_out = 0, drawn = 0;
  for (int v = 0; v < views; ++v) {
    projection.forward(all, scene.photos.camera(v), {});
    for (int rank = 0; rank < kRanks; ++rank) {
      const core::PixelWindow& window = rounds[v][rank].window;
      Ids expected;
      for (const uint32_t i : projection.visible()) {
        const render::CpuSplat& splat = projection.splats()[i];
        if (touches_a_tile(splat, window)) expected.insert(all.ids[i]);
        if (!is_drawn_in(splat, window)) continue;
        ++drawn;
        EXPECT_TRUE(got[v][rank].contains(all.ids[i]))
            << "view " << v << ", rank " << rank << ", Gaussian " << all.ids[i];
      }
      EXPECT_EQ(got[v][rank], expected) << "view " << v << ", rank " << rank;
      routed += expected.size();
      left_out += projection.visible().size - expected.size();
    }
  }
  EXPECT_GT(drawn, 0U);
  EXPECT_GE(routed, drawn);
  EXPECT_GT(left_out, 0U);
}

}  // namespace
}  // namespace tessera::models
