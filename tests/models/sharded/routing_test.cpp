// What is routed to each rank's block is what a search through all splats and tiles finds.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/gaussian/sharded/balanced_views.h"
#include "models/gaussian/sharded/picture_strips.h"
#include "models/gaussian/sharded/splat_exchange.h"
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

// Rounds of all views, by what each view's strips are made to cost; blocks by what tiles do.
std::vector<Round> rounds_of_views(const MemoryPhotos& photos, const std::string& partition,
                                   int ranks) {
  CountedViews views;
  std::vector<Round> rounds;
  for (int v = 0; v < photos.count(); ++v) {
    const core::Camera& camera = photos.camera(v).camera;
    const core::PixelWindow picture = {0, 0, camera.width, camera.height};
    const PictureStrips strips(picture);
    views.pictures.push_back(picture);
    views.visible.emplace_back(ranks, 1);
    views.strip_costs.emplace_back(strips.count(), 1 + v % 3);
    const std::vector<int64_t> tile_costs(strips.count() * strips.tiles_each(), 1 + v);
    rounds.push_back(blocks(v, picture, ranks, tile_costs));
  }
  return partition == "blocks" ? rounds : rounds_of(Partition::kBalancedViews, views, ranks);
}

TEST_F(RanksTest, WindowsGetTheSplatsThatTouchTheirTiles) {
  constexpr int kRanks = 3;
  const TrainSettings settings = settings_of(1);
  const int views = scene.photos.count();
  for (const std::string partition : {"blocks", "balanced"}) {
    const std::vector<Round> rounds = rounds_of_views(scene.photos, partition, kRanks);
    std::vector<std::vector<Ids>> got(views, std::vector<Ids>(kRanks));
    distributed::run_in_threads(kRanks, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      const core::GaussianCloud own =
          own_share(cloud_from_points(scene.points, settings, pool), communicator, pool);
      std::vector<std::unique_ptr<render::CpuProjection>> projections;
      for (int v = 0; v < views; ++v) {
        projections.push_back(
            std::make_unique<render::CpuProjection>(pool, render::chosen_cpu_kernels()));
        projections[v]->forward(own, scene.photos.camera(v), {});
      }
      SplatExchange exchange(communicator, pool, make_message_coding(settings, pool), true);
      exchange.begin(own, projections, 0);
      exchange.route(rounds);
      for (size_t k = 0; k < rounds.size(); ++k) {
        exchange.start_splats(static_cast<int>(k));
        exchange.finish_splats(static_cast<int>(k));
        const std::span<const DrawnWindow> drawn = windows_of(rounds[k], communicator.rank());
        for (size_t w = 0; w < drawn.size(); ++w) {
          const render::CpuSplatList splats = exchange.splats(w);
          Ids& ids = got[drawn[w].view][communicator.rank()];
          for (const uint32_t i : splats.which) {
            EXPECT_TRUE(ids.insert(splats.ids[i]).second) << "came twice: " << splats.ids[i];
          }
        }
      }
    });

    core::ThreadPool pool(1);
    const core::GaussianCloud all = cloud_from_points(scene.points, settings, pool);
    render::CpuProjection projection(pool, render::chosen_cpu_kernels());
    size_t windows = 0, routed = 0, left_out = 0, drawn = 0;
    for (const Round& round : rounds) {
      for (const auto& [rank, view, window] : round) {
        SCOPED_TRACE(testing::Message() << partition << ", view " << view << ", rank " << rank);
        projection.forward(all, scene.photos.camera(view), {});
        Ids expected;
        for (const uint32_t i : projection.visible()) {
          const render::CpuSplat& splat = projection.splats()[i];
          if (touches_a_tile(splat, window)) expected.insert(all.ids[i]);
          if (!is_drawn_in(splat, window)) continue;
          ++drawn;
          EXPECT_TRUE(got[view][rank].contains(all.ids[i])) << "Gaussian " << all.ids[i];
        }
        EXPECT_EQ(got[view][rank], expected);
        ++windows;
        routed += expected.size();
        left_out += projection.visible().size - expected.size();
      }
    }
    EXPECT_GT(windows, static_cast<size_t>(views));
    EXPECT_GT(drawn, 0U);
    EXPECT_GE(routed, drawn);
    EXPECT_GT(left_out, 0U);
  }
}

}  // namespace
}  // namespace tessera::models
