// How equal the work of the blocks is into which a view is cut, in pairs of pixel and splat that
// blending evaluates: one view of 3840x2160 in a street of a made city, 4 ranks. Counts, no times.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "bench/models/city.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/sharded/round.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {
namespace {

constexpr int kRanks = 4;

double most_by_mean(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return *std::max_element(values.begin(), values.end()) * static_cast<double>(values.size()) / sum;
}

void street(benchmark::State& state) {
  const CityPlan plan;
  const core::GaussianCloud cloud = city(plan, state.range(0));
  const std::vector<core::PosedCamera> cameras = cameras_in_streets(plan, 3840, 2160);
  // In the middle of the city's middle street.
  const size_t per_street = cameras.size() / plan.blocks();
  const core::PosedCamera& camera = cameras[plan.blocks() / 2 * per_street + per_street / 2];
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  core::ThreadPool pool(1);
  std::vector<std::unique_ptr<render::CpuProjection>> projections;
  projections.push_back(
      std::make_unique<render::CpuProjection>(pool, render::chosen_cpu_kernels()));
  const std::vector<core::PixelWindow> pictures = {{0, 0, 3840, 2160}};
  for (auto _ : state) {
    projections[0]->forward(cloud, camera, {});
    const Round round =
        blocks(0, pictures[0], kRanks, TileCosts().next(*alone, 0, *projections[0], pictures[0]));
    std::vector<double> evaluated, equal_strips;
    for (int r = 0; r < kRanks; ++r) {
      const core::PixelWindow strip = {0, r * 544, 3840, std::min(544, 2160 - r * 544)};
      for (const core::PixelWindow& window : {round[r].window, strip}) {
        render::CpuBlending blending(pool, render::chosen_cpu_kernels());
        render::RenderOutput output;
        blending.forward({projections[0]->splats(), cloud.ids.data(), projections[0]->visible()},
                         window, {}, output);
        (window == strip ? equal_strips : evaluated)
            .push_back(static_cast<double>(blending.counts().evaluated_pairs));
      }
    }
    state.counters["most_by_mean"] = most_by_mean(evaluated);
    state.counters["most_by_mean_of_equal_strips"] = most_by_mean(equal_strips);
    state.counters["pairs_per_pixel"] =
        std::accumulate(evaluated.begin(), evaluated.end(), 0.0) / (3840.0 * 2160);
    state.counters["visible"] = static_cast<double>(projections[0]->visible().size);
  }
}
BENCHMARK(street)->Name("blocks/street")->Arg(2000000)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace tessera::models
