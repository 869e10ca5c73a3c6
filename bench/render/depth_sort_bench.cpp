// The radix sort of depths.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <bit>

#include "render/gaussian/backends/depth_sort.h"
#include "tests/support/random_scene.h"

namespace tessera::render {
namespace {

void depth_sort(benchmark::State& state) {
  core::Array<SortItem> items(state.range(0)), sorted, scratch;
  test::Random random(1);
  for (int64_t i = 0; i < items.size(); ++i) {
    const auto depth = static_cast<float>(random.uniform(0.5, 50));
    items[i] = {std::bit_cast<uint32_t>(depth), static_cast<uint32_t>(i)};
  }
  for (auto _ : state) {
    sorted = items;
    radix_sort(sorted, scratch);
    benchmark::DoNotOptimize(sorted.data());
  }
  state.SetItemsProcessed(state.iterations() * items.size());
}
BENCHMARK(depth_sort)->Range(1 << 12, 1 << 20)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera::render
