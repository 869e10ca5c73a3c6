// The loss and the optimizer, for each instruction set: CPU milliseconds of one call on one thread.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "core/adam.h"
#include "core/isa.h"
#include "core/ssim.h"
#include "tests/support/random_scene.h"

namespace tessera::core {
namespace {

void loss(benchmark::State& state, Isa isa, int width, int height, bool masked) {
  ThreadPool pool(1);
  PhotoComparer comparer(pool, isa);
  ImageF render(width, height, 3), gradient;
  Image8 photo(width, height, 3), mask;
  if (masked) mask = Image8(width, height, 1);
  test::Random random(1);
  for (int64_t i = 0; i < render.data.size(); ++i) {
    render.data[i] = static_cast<float>(random.uniform(0, 1));
    photo.data[i] = static_cast<uint8_t>(random.uniform(0, 255));
  }
  for (int64_t i = 0; i < mask.data.size(); ++i) mask.data[i] = i % 7 == 0 ? 0 : 255;
  for (auto _ : state) {
    const PhotoComparison result = comparer.compare(render, photo, mask, 0.2F, gradient);
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations() * render.data.size());
}

void adam(benchmark::State& state, Isa isa, int64_t count, bool visible_only) {
  constexpr int kPlanes = plane_count(3);
  ThreadPool pool(1);
  Planes parameters(kPlanes, count), gradient(kPlanes, count), first(kPlanes, count),
      second(kPlanes, count);
  gradient.fill(0.1F);
  const std::vector<float> rates(kPlanes, 1e-3F);
  std::vector<uint8_t> visible;
  if (visible_only) {
    for (int64_t i = 0; i < count; ++i) visible.push_back(i / 64 % 2 == 0 ? 1 : 0);
  }
  AdamStep step;
  step.rates = rates;
  step.visible = visible;
  for (auto _ : state) {
    adam_update(step, parameters, gradient, first, second, pool, isa);
    ++step.step;
  }
  // Four arrays are read and written.
  state.SetBytesProcessed(state.iterations() * count * kPlanes * 32);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const Isa isa : usable_isas()) {
    const std::string set(name_of(isa));
    for (const bool masked : {false, true}) {
      benchmark::RegisterBenchmark(
          ("loss/500x332" + std::string(masked ? "/masked/" : "/") + set).c_str(), loss, isa, 500,
          332, masked)
          ->Unit(benchmark::kMillisecond);
    }
    benchmark::RegisterBenchmark(("loss/1920x1080/" + set).c_str(), loss, isa, 1920, 1080, false)
        ->Unit(benchmark::kMillisecond);
    for (const int64_t count : {12000, 200000}) {
      const std::string size = std::to_string(count);
      benchmark::RegisterBenchmark(("adam/" + size + "/" + set).c_str(), adam, isa, count, false)
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(("adam/" + size + "/half_visible/" + set).c_str(), adam, isa,
                                   count, true)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace tessera::core
