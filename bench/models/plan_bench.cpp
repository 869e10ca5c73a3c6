// What `tessera plan` would say of a made city of 2 M Gaussians: efficiency on G ranks with G views
// a step, and that of the scheme with random owners and rows of tiles. A model: seconds of work are
// measured here on one core, messages cost 20 us and 1.25 GB/s.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <numeric>
#include <string>
#include <vector>

#include "bench/models/city.h"
#include "core/thread_pool.h"
#include "models/gaussian/model.h"
#include "models/gaussian/sharded/rank_plan.h"

namespace tessera::models {
namespace {

constexpr int64_t kGaussians = 2000000;

void plan(benchmark::State& state, const std::vector<core::PosedCamera>& cameras,
          const std::string& partition) {
  PlanRequest request;
  request.settings.partition = partition;
  request.ranks = {1, 2, 4, 8, 16, 32, 64};
  request.model.bytes_per_second = 1.25e9;
  request.model.latency_s = 20e-6;
  core::ThreadPool pool(1);
  std::vector<int64_t> all(kGaussians);
  std::iota(all.begin(), all.end(), int64_t{0});
  const core::GaussianCloud cloud = cloud_from_scene(city({}, kGaussians), all, request.settings);
  for (auto _ : state) {
    const RankPlan plan = plan_ranks(request, cloud, cameras, pool, [](int64_t, int64_t) {});
    for (const RankPlanRow& row : plan.rows) {
      const auto count = [&](const std::string& name, const PlannedStep& planned) {
        const StepEstimate& step = planned.step;
        const auto set = [&](const char* what, double value) {
          state.counters[fmt::format("{}{}_{}", name, what, row.ranks)] = value;
        };
        set("efficiency", planned.efficiency);
        set("MB", 1e-6 * static_cast<double>(step.bytes_sent));
        set("ms", 1e3 * step.step_s);
      };
      count("", row.ours);
      if (row.rows) count("rows_", *row.rows);
    }
  }
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const std::string& name, const std::vector<core::PosedCamera>& cameras) {
    for (const std::string partition : {"views", "balanced"}) {
      benchmark::RegisterBenchmark(fmt::format("{}/{}", name, partition).c_str(), plan, cameras,
                                   partition)
          ->Iterations(1)
          ->Unit(benchmark::kSecond);
    }
  };
  const CityPlan plan;
  add("plan/air/120", cameras_from_the_air(plan, 120));
  add("plan/street", cameras_in_streets(plan, 1920, 1080));
  return true;
}();

}  // namespace
}  // namespace tessera::models
