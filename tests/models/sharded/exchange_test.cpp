// What moves between ranks: splats and gradients, halos, Gaussians; and what must not change by it.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>

#include "models/gaussian/photo_loss.h"
#include "models/gaussian/sharded/ownership.h"
#include "models/gaussian/sharded/ownership_costs.h"
#include "models/gaussian/sharded/splat_exchange.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "models/windows/halo.h"
#include "render/gaussian/backends/cpu.h"
#include "tests/models/made_gaussians.h"
#include "tests/models/sharded/ranks_fixture.h"

namespace tessera::models {
namespace {

core::ImageF random_image(int width, int height, int channels, int seed) {
  core::ImageF image(width, height, channels);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (float& value : image.data) value = uniform(random);
  return image;
}

core::Photo random_photo(int width, int height, int channels, bool masked) {
  core::Photo photo;
  std::mt19937 random(9);
  photo.pixels = core::Image8(width, height, channels);
  for (uint8_t& value : photo.pixels.data) value = static_cast<uint8_t>(random());
  if (!masked) return photo;
  photo.mask = core::Image8(width, height, 1);
  for (uint8_t& value : photo.mask.data) value = random() % 4 == 0 ? 0 : 255;
  return photo;
}

TrainSettings with_depth() {
  TrainSettings settings;
  settings.depth_weight = 0.5F;
  return settings;
}

// The loss's gradient of a picture in blocks, each rank its own, with a halo of `reach`.
struct BlockGradients {
  render::RenderOutputGradient whole;
  PhotoLossTerms terms;  // summed over the ranks
};

BlockGradients gradient_in_blocks(const core::ImageF& render, const core::ImageF& depth,
                                  const core::Photo& photo, int ranks, int reach) {
  BlockGradients result;
  result.whole.color = core::ImageF(render.width, render.height, 3);
  if (!depth.empty()) result.whole.depth = core::ImageF(render.width, render.height, 1);
  result.terms.ssim = 0;
  std::mutex mutex;
  const std::vector<int64_t> costs(
      static_cast<size_t>(render::tiles_along(render.width)) * render::tiles_along(render.height),
      1);
  const Round round = blocks(0, render.window(), ranks, costs);
  distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    const std::span<const DrawnWindow> windows = windows_of(round, communicator.rank());
    core::PixelWindow own;
    core::ImageF drawn;
    std::vector<const core::ImageF*> colors;
    if (!windows.empty()) {
      own = windows.front().window;
      core::crop(render, own, drawn);
      colors.push_back(&drawn);
    }
    const core::PixelWindow picture = render.window();
    const std::vector<core::ImageF> halos =
        with_halos(communicator, round, {&picture, 1}, colors, reach);
    if (windows.empty()) return;
    const core::ImageF& around = own == picture ? render : halos.front();
    PhotoLoss loss(with_depth(), pool);
    core::ImageF depth_drawn;
    if (!depth.empty()) core::crop(depth, own, depth_drawn);
    render::RenderOutputGradient gradient;
    const PhotoLossTerms terms = loss.evaluate_part(
        around, depth_drawn, core::widened(own, reach, render.width, render.height), own, photo,
        {0.3F, 0.2F, 0.1F}, gradient);
    const std::lock_guard lock(mutex);
    core::copy_pixels(gradient.color, 0, 0, result.whole.color, own.left, own.top, own.width,
                      own.height);
    result.terms.l1 += terms.l1;
    result.terms.ssim += terms.ssim;
    result.terms.depth += terms.depth;
    if (depth.empty()) return;
    core::copy_pixels(gradient.depth, 0, 0, result.whole.depth, own.left, own.top, own.width,
                      own.height);
  });
  return result;
}

TEST(Halo, MakesTheGradientTheSameBits) {
  core::ThreadPool pool(1);
  for (const auto& [width, height] : {std::pair{130, 70}, {33, 100}, {20, 20}}) {
    const core::ImageF render = random_image(width, height, 3, 1);
    core::ImageF depth = random_image(width, height, 1, 2);
    for (int64_t i = 0; i < depth.data.size(); i += 5) depth.data[i] = 0;  // nothing was drawn
    for (const int channels : {3, 4}) {
      for (const bool masked : {false, true}) {
        core::Photo photo = random_photo(width, height, channels, masked);
        photo.depth = random_image(width, height, 1, 3);
        for (int64_t i = 0; i < depth.data.size(); i += 3) photo.depth.data[i] = 0;  // not known
        PhotoLoss loss(with_depth(), pool);
        render::RenderOutputGradient expected;
        const PhotoLossTerms terms =
            loss.evaluate(render, depth, photo, {0.3F, 0.2F, 0.1F}, expected);
        EXPECT_GT(terms.depth, 0);
        for (const int ranks : {1, 2, 3, 4, 8}) {
          const BlockGradients got =
              gradient_in_blocks(render, depth, photo, ranks, core::kSsimReach);
          EXPECT_TRUE(got.whole.color == expected.color) << width << "x" << height << ", " << ranks;
          EXPECT_TRUE(got.whole.depth == expected.depth) << width << "x" << height << ", " << ranks;
          EXPECT_NEAR(got.terms.total(0.2), terms.total(0.2), 1e-6);
          EXPECT_NEAR(got.terms.depth, terms.depth, 1e-9 * terms.depth);
        }
      }
    }
  }
}

TEST(Halo, OfSevenPixelsIsNotEnough) {
  core::ThreadPool pool(1);
  const core::ImageF render = random_image(130, 70, 3, 1);
  const core::Photo photo = random_photo(130, 70, 3, false);
  PhotoLoss loss({}, pool);
  render::RenderOutputGradient expected;
  loss.evaluate(render, {}, photo, {0, 0, 0}, expected);
  EXPECT_FALSE(gradient_in_blocks(render, {}, photo, 2, 7).whole.color == expected.color);
}

// A cloud whose parameters, moments and statistics are all different numbers.
GaussianState numbered_state(int64_t size) {
  GaussianState state = state_of(core::GaussianCloud(1, size), 2);
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  for (core::Planes* part :
       {&state.cloud.parameters, &state.first_moments, &state.second_moments, &state.statistics}) {
    for (int p = 0; p < part->plane_count(); ++p) {
      for (int64_t i = 0; i < size; ++i) part->plane(p)[i] = normal(random);
    }
  }
  return state;
}

using Row = std::vector<float>;
void add_rows(const GaussianState& state, std::map<uint64_t, Row>& rows) {
  for (int64_t i = 0; i < state.size(); ++i) {
    Row& row = rows[state.cloud.ids[i]];
    EXPECT_TRUE(row.empty()) << "two owners of " << state.cloud.ids[i];
    for (const core::Planes* part : {&state.cloud.parameters, &state.first_moments,
                                     &state.second_moments, &state.statistics}) {
      for (int p = 0; p < part->plane_count(); ++p) row.push_back(part->plane(p)[i]);
    }
  }
}

TEST(Ownership, MovesKeepEveryGaussianWithAllItsNumbersAtOneOwner) {
  const GaussianState all = numbered_state(1000);
  std::map<uint64_t, Row> expected;
  add_rows(all, expected);
  const SpaceGrid grid({0, 0, 0}, 1.0);
  for (const int ranks : {1, 2, 3, 4, 7}) {
    std::map<uint64_t, Row> got;
    std::mutex mutex;
    int64_t moved = 0;
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      GaussianState own = all;
      keep_share(own, communicator, pool);
      const Ownership ownership(communicator, grid, own.cloud,
                                OwnershipCosts().of_gaussians(grid, own.cloud), ranks);
      const int64_t sent = move_to_owners(communicator, ownership, own);
      EXPECT_LT(imbalance(communicator, own.size()), 1.2);
      for (int64_t i = 0; i < own.size(); ++i) {
        EXPECT_EQ(ownership.owner(own.cloud, i), communicator.rank());
      }
      // Who owns it already stays.
      EXPECT_EQ(move_to_owners(communicator, ownership, own), 0);
      const core::GaussianCloud everywhere = gathered(communicator, own.cloud);
      const std::lock_guard lock(mutex);
      moved += sent;
      add_rows(own, got);
      if (communicator.rank() == 0) {
        EXPECT_TRUE(sorted_by_id(everywhere).parameters == sorted_by_id(all.cloud).parameters);
      }
    });
    EXPECT_EQ(got, expected) << ranks << " ranks";
    EXPECT_EQ(moved > 0, ranks > 1);
  }
}

TEST(Ownership, GaussiansThatAreNoNumbersOrFarAwayHaveAnOwner) {
  core::GaussianCloud cloud(0, 4);
  cloud.plane(0)[0] = NAN;
  cloud.plane(1)[1] = 1e30F;
  cloud.plane(2)[2] = -INFINITY;
  const SpaceGrid grid({0, 0, 0}, 1.0);
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_GE(grid.cell(cloud, i), 0);
    EXPECT_LT(grid.cell(cloud, i), int64_t{64} * 64 * 64);
  }
}

TEST_F(RanksTest, SendsAndReceivesAreTheFormulasBytes) {
  TrainSettings settings = settings_of(1);
  for (const auto& [ranks, precision] :
       {std::pair{2, "float32"}, {3, "float32"}, {2, "compressed"}, {3, "compressed"}}) {
    settings.message_precision = precision;
    const bool exact = settings.message_precision == "float32";
    int64_t outside_everywhere = 0;
    int64_t moved_everywhere = 0, sent_everywhere = 0, received_everywhere = 0;
    std::mutex mutex;
    const int size = ranks;
    distributed::run_in_threads(size, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      GaussianState own = state_of(cloud_from_points(scene.points, settings, pool));
      keep_share(own, communicator, pool);
      std::vector<std::unique_ptr<render::CpuProjection>> projections;
      std::vector<core::PixelWindow> pictures;
      for (const int view : {0, 1}) {
        const core::PosedCamera& camera = scene.photos.camera(view);
        projections.push_back(
            std::make_unique<render::CpuProjection>(pool, render::chosen_cpu_kernels()));
        projections.back()->forward(own.cloud, camera, {});
        pictures.push_back({0, 0, camera.camera.width, camera.camera.height});
      }
      TileCosts costs;
      std::vector<Round> rounds;
      for (const int v : {0, 1}) {
        rounds.push_back(blocks(v, pictures[v], size,
                                costs.next(communicator, v, *projections[v], pictures[v])));
      }
      SplatExchange exchange(communicator, pool, make_message_coding(settings, pool), true);
      exchange.begin(own.cloud, projections, 0);
      exchange.route(rounds);
      for (const int k : {0, 1}) exchange.start_splats(k);
      for (const int k : {0, 1}) {
        exchange.finish_splats(k);
        std::fill_n(exchange.gradients(k, 0), exchange.splats(0).which.size,
                    render::CpuSplatGradient{});
        exchange.start_gradients(k);
      }
      for (const int k : {0, 1}) exchange.finish_gradients(k);
      int64_t splats_sent = 0, splats_received = 0;
      for (const distributed::Traffic& row : communicator.traffic()) {
        if (row.tag == "splats") {
          splats_sent = row.bytes_sent;
          splats_received = row.bytes_received;
          EXPECT_EQ(row.bytes_sent,
                    exact ? 44 * exchange.moved() : 22 * exchange.moved() + 8 * exchange.outside());
        }
        if (row.tag == "splat gradients") {
          EXPECT_EQ(row.bytes_received, exact ? 36 * exchange.moved()
                                              : 18 * exchange.moved() + 36 * exchange.messages());
        }
      }
      EXPECT_LE(exchange.moved(), exchange.routed());
      EXPECT_EQ(exact && exchange.outside() > 0, false);
      const std::lock_guard lock(mutex);
      moved_everywhere += exchange.moved();
      outside_everywhere += exchange.outside();
      sent_everywhere += splats_sent;
      received_everywhere += splats_received;
    });
    EXPECT_GT(moved_everywhere, 0);
    EXPECT_EQ(outside_everywhere > 0, !exact);
    EXPECT_EQ(sent_everywhere, received_everywhere);
  }
}

}  // namespace
}  // namespace tessera::models
