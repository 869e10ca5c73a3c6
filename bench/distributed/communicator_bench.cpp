// The communicator between threads: microseconds of a reduction, by ranks and values, and of a ring
// in which each rank sends 20 MB to the next.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "distributed/backends/threads.h"

namespace tessera::distributed {
namespace {

// All ranks call `step` as often as the benchmark, which rank 0 runs, asks for.
void repeat(benchmark::State& state, const std::function<void(Communicator&)>& step) {
  run_in_threads(static_cast<int>(state.range(0)), [&](Communicator& communicator) {
    communicator.barrier("begin");
    if (communicator.rank() == 0) {
      for (auto _ : state) step(communicator);
      return;
    }
    for (benchmark::IterationCount i = 0; i < state.max_iterations; ++i) step(communicator);
  });
}

void all_reduce(benchmark::State& state) {
  repeat(state, [&](Communicator& communicator) {
    thread_local std::vector<double> values;
    values.assign(static_cast<size_t>(state.range(1)), 1.0);
    communicator.all_reduce("reduce", Reduction::kSum, std::span(values));
  });
}

void ring(benchmark::State& state) {
  constexpr size_t kBytes = 20'000'000;
  repeat(state, [](Communicator& communicator) {
    thread_local std::vector<std::byte> out(kBytes);
    thread_local std::vector<std::byte> in(kBytes);
    const int ranks = communicator.size();
    const Send send{(communicator.rank() + 1) % ranks, out};
    const Receive receive{(communicator.rank() + ranks - 1) % ranks, in};
    communicator.start("ring", {&send, 1}, {&receive, 1}).wait();
  });
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kBytes));
}

BENCHMARK(all_reduce)
    ->ArgNames({"ranks", "values"})
    ->ArgsProduct({{2, 4}, {1, 64, 1 << 20}})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(ring)->ArgName("ranks")->Arg(2)->Arg(4)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera::distributed
