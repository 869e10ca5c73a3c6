// The share of the splats shown that must move between ranks, on a made city of 2 M Gaussians:
// whole views, 4 ranks, 4 views a step. Counts, no times.
//
// random: owners and views at random, view k drawn by rank k (expected: 3/4).
// boxes: owners by boxes of space. assigned: besides, views assigned to ranks by what they show.
// chosen: besides, views of a step chosen from different regions.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bench/models/city.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/model.h"
#include "models/gaussian/sharded/ownership.h"
#include "models/gaussian/sharded/ownership_costs.h"
#include "models/gaussian/sharded/view_assignment.h"
#include "models/gaussian/view_order.h"
#include "models/gaussian/view_regions.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {
namespace {

constexpr int kRanks = 4;
constexpr int kBatch = 4;
constexpr int64_t kGaussians = 2000000;
constexpr int kSteps = 200;
constexpr uint64_t kSeed = 0;

using Counts = std::vector<int64_t>;  // [rank]

// Owners as a run begins with them.
std::vector<uint8_t> owners_by_boxes(const core::GaussianCloud& cloud, const SpaceGrid& grid) {
  std::vector<uint8_t> owners(cloud.size());
  const Ownership ownership(*distributed::lone_rank(), grid, cloud,
                            OwnershipCosts().of_gaussians(grid, cloud), kRanks);
  for (int64_t i = 0; i < cloud.size(); ++i) {
    owners[i] = static_cast<uint8_t>(ownership.owner(cloud, i));
  }
  return owners;
}

std::vector<uint8_t> owners_at_random(int64_t count) {
  std::vector<uint8_t> owners(count);
  test::Random random(5);
  for (uint8_t& owner : owners) owner = static_cast<uint8_t>(random.uniform(0, kRanks));
  return owners;
}

// How many splats of each rank a view shows.
class Shown {
 public:
  Shown(const core::GaussianCloud& cloud, const std::vector<core::PosedCamera>& cameras,
        std::vector<uint8_t> owners)
      : cloud_(cloud), cameras_(cameras), owners_(std::move(owners)) {}

  const Counts& of(int view) {
    Counts& counts = counts_[view];
    if (!counts.empty()) return counts;
    counts.assign(kRanks, 0);
    projection_.forward(cloud_, cameras_[view], {});
    for (const uint32_t i : projection_.visible()) ++counts[owners_[i]];
    return counts;
  }

 private:
  const core::GaussianCloud& cloud_;
  const std::vector<core::PosedCamera>& cameras_;
  std::vector<uint8_t> owners_;
  core::ThreadPool pool_ = core::ThreadPool(1);
  render::CpuProjection projection_ = render::CpuProjection(pool_, render::chosen_cpu_kernels());
  std::map<int, Counts> counts_;
};

struct Moved {
  double share = 0;
  double per_view = 0;  // splats that a view shows
};

Moved moved(Shown& shown, ViewOrder order, int views, bool assigned) {
  int64_t all = 0, stayed = 0;
  const int steps = std::min(kSteps, views / kBatch);
  for (int step = 0; step < steps; ++step) {
    std::vector<Counts> visible(kBatch);
    for (int k = 0; k < kBatch; ++k) visible[k] = shown.of(order.view(step * kBatch + k));
    std::vector<int> rank_of_view(kBatch);
    std::iota(rank_of_view.begin(), rank_of_view.end(), 0);
    if (assigned) rank_of_view = assign_views(visible, kRanks);
    for (int k = 0; k < kBatch; ++k) {
      all += std::accumulate(visible[k].begin(), visible[k].end(), int64_t{0});
      stayed += visible[k][rank_of_view[k] % kRanks];
    }
  }
  return {1 - static_cast<double>(stayed) / static_cast<double>(all),
          static_cast<double>(all) / (steps * kBatch)};
}

void measure(benchmark::State& state, const std::vector<core::PosedCamera>& cameras) {
  const core::GaussianCloud cloud = city({}, kGaussians);
  const double extent = scene_extent(cameras);
  const auto views = static_cast<int>(cameras.size());
  for (auto _ : state) {
    const ViewOrder random(views, kSeed);
    const ViewOrder chosen(view_regions(cameras, extent, view_region_count(kBatch)), kBatch, kSeed);
    Shown dealt(cloud, cameras, owners_at_random(cloud.size()));
    Shown boxes(cloud, cameras, owners_by_boxes(cloud, SpaceGrid(cameras_center(cameras), extent)));
    const Moved at_random = moved(dealt, random, views, false);
    state.counters["random"] = at_random.share;
    state.counters["splats_a_view"] = at_random.per_view;
    state.counters["boxes"] = moved(boxes, random, views, false).share;
    state.counters["assigned"] = moved(boxes, random, views, true).share;
    state.counters["chosen"] = moved(boxes, chosen, views, true).share;
  }
  state.counters["views"] = views;
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const std::string& name, const std::vector<core::PosedCamera>& cameras) {
    benchmark::RegisterBenchmark(name.c_str(), measure, cameras)
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
  };
  const CityPlan plan;
  add("locality/air/60", cameras_from_the_air(plan, 60));
  add("locality/air/120", cameras_from_the_air(plan, 120));
  add("locality/street", cameras_in_streets(plan, 1920, 1080));
  return true;
}();

}  // namespace
}  // namespace tessera::models
