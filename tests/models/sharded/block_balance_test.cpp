// The blocks that a view is cut into: the same on all ranks, whoever owns what, and of equal work.
// Counts, no times.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <string>

#include "distributed/backends/lone_rank.h"
#include "distributed/backends/threads.h"
#include "models/gaussian/sharded/round.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "tests/support/facing_camera.h"
#include "tests/support/random_scene.h"

namespace tessera::models {
namespace {

constexpr int kView = 7;
using Windows = std::vector<core::PixelWindow>;

struct Balls {
  int64_t count;
  double left, right;  // along x
  double depth;
  double radius;
  double opacity;
};

// Along x from -1 to 1, along y from -0.6 to 0.6.
core::GaussianCloud cloud_of(const std::vector<Balls>& all) {
  int64_t count = 0;
  for (const Balls& balls : all) count += balls.count;
  core::GaussianCloud cloud(0, count);
  test::Random random(4);
  int64_t i = 0;
  for (const Balls& balls : all) {
    for (int64_t end = i + balls.count; i < end; ++i) {
      const std::array<double, 3> mean = {random.uniform(balls.left, balls.right),
                                          random.uniform(-0.6, 0.6),
                                          balls.depth * random.uniform(0.99, 1.01)};
      for (int a = 0; a < 3; ++a) {
        cloud.plane(core::kMeanPlane + a)[i] = static_cast<float>(mean[a]);
        cloud.plane(core::kLogScalePlane + a)[i] = static_cast<float>(std::log(balls.radius));
      }
      cloud.plane(core::kQuaternionPlane)[i] = 1;
      cloud.plane(core::kOpacityPlane)[i] =
          static_cast<float>(std::log(balls.opacity / (1 - balls.opacity)));
      cloud.ids[i] = static_cast<uint64_t>(i);
    }
  }
  return cloud;
}

// A wall of large balls over the left half, before ten times as many small ones everywhere.
core::GaussianCloud wall_before_many() {
  return cloud_of({{1500, -1.1, 0, 1, 0.04, 0.95}, {15000, -1, 1, 1.05, 0.012, 0.6}});
}

core::PosedCamera camera_before() {
  return test::facing_camera({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 650, 390, 325);
}

core::PixelWindow picture_before() {
  const core::Camera camera = camera_before().camera;
  return {0, 0, camera.width, camera.height};
}

// Shows a view again and again. This rank owns every size-th Gaussian, and draws its block of all
// of them; one that is alone draws the whole view, whatever the number of blocks.
class Viewer {
 public:
  Viewer(const core::GaussianCloud& cloud, distributed::Communicator& ranks, int blocks)
      : cloud_(cloud), ranks_(ranks), blocks_(blocks) {
    std::vector<int64_t> kept;
    for (int64_t i = ranks.rank(); i < cloud.size(); i += ranks.size()) kept.push_back(i);
    core::GaussianCloud own = cloud;
    own.parameters.gather(kept);
    own.ids.resize(static_cast<int64_t>(kept.size()));
    own_.forward(own, camera_before(), {});
    all_.forward(cloud, camera_before(), {});
  }

  Windows show() {
    Windows windows;
    for (const DrawnWindow& block :
         blocks(0, picture_, blocks_, costs_.next(ranks_, kView, own_, picture_))) {
      windows.push_back(block.window);
    }
    const core::PixelWindow drawn = ranks_.size() == 1 ? picture_ : windows[ranks_.rank()];
    costs_.drawn(kView, drawn, draw(drawn).evaluated_per_tile());
    return windows;
  }

  // The work of a window by its counts.
  int64_t work(const core::PixelWindow& window) {
    const int x0 = window.left / render::kTileSize, x1 = render::tiles_along(window.right());
    const int y0 = window.top / render::kTileSize, y1 = render::tiles_along(window.bottom());
    int64_t work = kTileCost * (x1 - x0) * (y1 - y0) + draw(window).counts().evaluated_pairs;
    for (const uint32_t i : all_.visible()) {
      const render::TileBounds box = render::tile_bounds(all_.splats()[i], picture_);
      work += kPairCost * std::max(0, std::min(box.x1 + 1, x1) - std::max(box.x0, x0)) *
              std::max(0, std::min(box.y1 + 1, y1) - std::max(box.y0, y0));
    }
    return work;
  }

 private:
  const render::CpuBlending& draw(const core::PixelWindow& window) {
    render::RenderOutput output;
    blending_.forward({all_.splats(), cloud_.ids.data(), all_.visible()}, window, {}, output);
    return blending_;
  }

  const core::GaussianCloud& cloud_;
  distributed::Communicator& ranks_;
  int blocks_;
  core::PixelWindow picture_ = picture_before();
  core::ThreadPool pool_{1};
  render::CpuProjection own_{pool_, render::chosen_cpu_kernels()};
  render::CpuProjection all_{pool_, render::chosen_cpu_kernels()};
  render::CpuBlending blending_{pool_, render::chosen_cpu_kernels()};
  TileCosts costs_;
};

double most_by_mean(const core::GaussianCloud& cloud, const Windows& windows) {
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  Viewer viewer(cloud, *alone, static_cast<int>(windows.size()));
  int64_t most = 0, sum = 0;
  for (const core::PixelWindow& window : windows) {
    const int64_t work = viewer.work(window);
    most = std::max(most, work);
    sum += work;
  }
  return static_cast<double>(most) * static_cast<double>(windows.size()) / static_cast<double>(sum);
}

TEST(BlockBalance, BlocksAreTheSameWhoeverOwnsWhatAndDrewWhat) {
  const core::GaussianCloud cloud = wall_before_many();
  for (const int size : {2, 3, 4}) {
    const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
    Viewer one(cloud, *alone, size);
    const std::vector<Windows> expected = {one.show(), one.show(), one.show(), one.show()};
    EXPECT_FALSE(expected[0] == expected[1]) << "nothing was learned from drawing";
    EXPECT_EQ(expected[1], expected[2]);
    EXPECT_EQ(expected[1], expected[3]);
    std::mutex mutex;
    distributed::run_in_threads(size, [&](distributed::Communicator& ranks) {
      Viewer many(cloud, ranks, size);
      for (const Windows& windows : expected) {
        const Windows got = many.show();
        const std::lock_guard lock(mutex);
        EXPECT_EQ(got, windows) << "rank " << ranks.rank() << " of " << size;
      }
    });
    for (const Windows& windows : expected) {
      const core::PixelWindow picture = picture_before();
      std::vector<int> covered(static_cast<size_t>(picture.width) * picture.height, 0);
      for (const core::PixelWindow& w : windows) {
        for (int y = w.top; y < w.bottom(); ++y) {
          for (int x = w.left; x < w.right(); ++x) ++covered[y * picture.width + x];
        }
      }
      for (const int times : covered) ASSERT_EQ(times, 1);
    }
  }
}

TEST(BlockBalance, BlocksOfAViewThatWasDrawnAreOfEqualWork) {
  const core::GaussianCloud cloud = wall_before_many();
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  for (const int blocks : {2, 3, 4}) {
    Viewer viewer(cloud, *alone, blocks);
    EXPECT_LT(most_by_mean(cloud, viewer.show()), 1.2) << blocks << " blocks, first";
    EXPECT_LT(most_by_mean(cloud, viewer.show()), 1.02) << blocks << " blocks, again";
  }
}

TEST(BlockBalance, StripsCostWhatTheirTilesDo) {
  const core::GaussianCloud cloud = wall_before_many();
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  core::ThreadPool pool(1);
  const core::PixelWindow picture = picture_before();
  render::CpuProjection projection(pool, render::chosen_cpu_kernels());
  projection.forward(cloud, camera_before(), {});
  render::CpuBlending blending(pool, render::chosen_cpu_kernels());
  render::RenderOutput output;
  blending.forward({projection.splats(), cloud.ids.data(), projection.visible()}, picture, {},
                   output);
  TileCosts of_tiles, of_strips;
  for (const char* showing : {"first", "again"}) {
    const std::vector<int64_t> tiles = of_tiles.next(*alone, kView, projection, picture);
    const auto columns = static_cast<size_t>(render::tiles_along(picture.width));
    std::vector<int64_t> expected(columns, 0);
    for (size_t t = 0; t < tiles.size(); ++t) expected[t % columns] += tiles[t];
    const std::vector<int64_t> loads = of_strips.strip_loads(kView, projection, picture);
    EXPECT_EQ(loads.size() == columns, std::string(showing) == "again");
    EXPECT_EQ(of_strips.next_strips(kView, loads, picture), expected) << showing;
    for (TileCosts* costs : {&of_tiles, &of_strips}) {
      costs->drawn(kView, picture, blending.evaluated_per_tile());
    }
  }
}

// As in a step that reaches from one epoch into the next.
TEST(BlockBalance, StripsOfAViewThatAStepShowsTwiceCostTheSameTwice) {
  const core::GaussianCloud cloud = wall_before_many();
  core::ThreadPool pool(1);
  const core::PixelWindow picture = picture_before();
  render::CpuProjection projection(pool, render::chosen_cpu_kernels());
  projection.forward(cloud, camera_before(), {});
  TileCosts costs;
  const std::vector<int64_t> first = costs.strip_loads(kView, projection, picture);
  const std::vector<int64_t> second = costs.strip_loads(kView, projection, picture);
  const std::vector<int64_t> strips = costs.next_strips(kView, first, picture);
  EXPECT_EQ(strips.size(), static_cast<size_t>(render::tiles_along(picture.width)));
  EXPECT_EQ(costs.next_strips(kView, second, picture), strips);
}

TEST(BlockBalance, WhatIsHiddenIsExpectedWhereSplatsAreAlike) {
  // Sparse on the left, many deep on the right.
  const core::GaussianCloud cloud =
      cloud_of({{500, -1, 0, 1, 0.015, 0.8}, {20000, 0, 1, 1, 0.015, 0.8}});
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  for (const int blocks : {2, 3, 4}) {
    Viewer viewer(cloud, *alone, blocks);
    const double first = most_by_mean(cloud, viewer.show());
    EXPECT_LT(first, most_by_mean(cloud, viewer.show()) + 0.05) << blocks << " blocks";
  }
}

}  // namespace
}  // namespace tessera::models
