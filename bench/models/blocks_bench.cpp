// How equal the work of the blocks is into which a view is cut: views of a made city, 4 ranks, when
// a view is shown first and when it is shown again.
//
// work: by counts, in the units of tile_costs.h. time: of a forward and backward pass on one
// thread. Each the most of a block over the mean.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/models/city.h"
#include "bench/models/window_work.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/sharded/round.h"
#include "models/gaussian/sharded/tile_costs.h"

namespace tessera::models {
namespace {

constexpr int kRanks = 4;
constexpr int64_t kGaussians = 2000000;

void report(benchmark::State& state, const std::string& name, WorkingView& view,
            const std::vector<core::PixelWindow>& windows) {
  double most_work = 0, all_work = 0, most_time = 0, all_time = 0;
  for (const core::PixelWindow& window : windows) {
    const auto [counts, seconds] = view.work(window, 5);
    const double work = kTileCost * counts[0] + kPairCost * counts[1] + counts[2];
    most_work = std::max(most_work, work);
    most_time = std::max(most_time, seconds);
    all_work += work;
    all_time += seconds;
  }
  const auto count = static_cast<double>(windows.size());
  state.counters[name + "_work"] = most_work * count / all_work;
  state.counters[name + "_time"] = most_time * count / all_time;
}

void blocks_of(benchmark::State& state, const core::PosedCamera& camera) {
  const core::GaussianCloud cloud = city({}, kGaussians);
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  for (auto _ : state) {
    WorkingView view(cloud, camera);
    const core::PixelWindow& picture = view.picture();
    TileCosts costs;
    for (const std::string name : {"first", "again"}) {
      std::vector<core::PixelWindow> windows;
      for (const DrawnWindow& block :
           blocks(0, picture, kRanks, costs.next(*alone, 0, view.projection(), picture))) {
        windows.push_back(block.window);
      }
      report(state, name, view, windows);
      costs.drawn(0, picture, view.evaluated());
    }
    std::vector<core::PixelWindow> strips;
    const int tiles = render::tiles_along(picture.height);
    for (int r = 0; r < kRanks; ++r) {
      const int top = tiles * r / kRanks * render::kTileSize;
      const int bottom = std::min(picture.height, tiles * (r + 1) / kRanks * render::kTileSize);
      strips.push_back({0, top, picture.width, bottom - top});
    }
    report(state, "equal_strips", view, strips);
    state.counters["visible"] = static_cast<double>(view.projection().visible().size);
  }
}

// In the middle of a street, which looks along it.
core::PosedCamera in_street(int street) {
  const CityPlan plan;
  const std::vector<core::PosedCamera> cameras = cameras_in_streets(plan, 3840, 2160);
  const size_t per_street = cameras.size() / plan.blocks();
  return cameras[street * per_street + per_street / 2];
}

core::PosedCamera from_the_air() {
  const std::vector<core::PosedCamera> cameras = cameras_from_the_air({}, 60);
  core::PosedCamera camera = cameras[cameras.size() / 2];
  camera.camera = core::scaled(camera.camera, 3840, 2880);
  return camera;
}

void street(benchmark::State& state) {
  blocks_of(state, in_street(25));
}
void other_street(benchmark::State& state) {
  blocks_of(state, in_street(12));
}
void air(benchmark::State& state) {
  blocks_of(state, from_the_air());
}
BENCHMARK(street)->Name("blocks/street")->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(other_street)->Name("blocks/other_street")->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(air)->Name("blocks/air")->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace tessera::models
