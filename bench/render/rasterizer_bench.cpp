// The CPU rasterizer on one thread, for each instruction set: CPU milliseconds by stage, and
// nanoseconds per evaluated (pixel, splat) pair of blending and of its gradient.
//
// Stages are timed by the wall clock; their shares of the step's CPU time are what is reported, so
// that a busy machine does not matter.
// The gradient visits only blocks in which forward blended something; its time is divided by the
// pairs that forward evaluated all the same.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/isa.h"
#include "render/gaussian/rasterizer.h"
#include "tests/support/random_scene.h"

namespace tessera::render {
namespace {

struct BenchScene {
  core::PosedCamera camera;
  core::GaussianCloud cloud;
};

// Splats of a trained scene's kind: most are small, few are large, half are nearly transparent.
BenchScene bench_scene(int width, int height, int64_t count, double pixels) {
  BenchScene scene;
  scene.camera = test::pinhole_camera(width, height, test::random_pose(1));
  test::RandomCloud spec;
  spec.count = count;
  spec.sh_degree = 3;
  spec.min_pixels = pixels / 6;
  spec.max_pixels = pixels * 6;
  spec.min_logit = -4;
  spec.max_logit = 3;
  scene.cloud = test::random_cloud(spec, scene.camera);
  return scene;
}

void step(benchmark::State& state, const std::string& isa, int width, int height, int64_t count,
          double pixels) {
  const BenchScene scene = bench_scene(width, height, count, pixels);
  core::ThreadPool pool(1);
  setenv("TESSERA_ISA", isa.c_str(), 1);
  const std::unique_ptr<Rasterizer> rasterizer = make_rasterizer("cpu", pool);
  unsetenv("TESSERA_ISA");
  RenderOutput output;
  RenderOutputGradient d_output;
  d_output.color = core::ImageF(width, height, 3);
  d_output.color.data.fill(1e-3F);
  RasterizeGradient gradient;
  gradient.parameters.reset(scene.cloud.parameters.plane_count(), count);
  const std::clock_t start = std::clock();
  for (auto _ : state) {
    rasterizer->forward(scene.cloud, scene.camera, {}, output);
    rasterizer->backward(scene.cloud, d_output, gradient);
  }
  const double cpu_ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
                        static_cast<double>(state.iterations());
  std::vector<StageTime> times;
  rasterizer->take_stage_times(times);
  double wall = 0;
  for (const StageTime& t : times) wall += t.milliseconds;
  std::map<std::string, double> milliseconds;
  for (const StageTime& t : times) {
    milliseconds[std::string(t.stage)] += t.milliseconds / wall * cpu_ms;
  }
  for (const auto& [stage, ms] : milliseconds) state.counters["ms " + stage] = ms;
  const RasterizeCounts counts = rasterizer->counts();
  const auto pairs = static_cast<double>(counts.evaluated_pairs);
  state.counters["pairs_per_pixel"] = pairs / (static_cast<double>(width) * height);
  state.counters["ns_per_pair_forward"] = milliseconds["blend"] * 1e6 / pairs;
  state.counters["ns_per_pair_backward"] = milliseconds["blend backward"] * 1e6 / pairs;
  state.counters["visible"] = static_cast<double>(counts.visible);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const core::Isa isa : core::usable_isas()) {
    const std::string set(name_of(isa));
    benchmark::RegisterBenchmark(("rasterize/500x332/6400/" + set).c_str(), step, set, 500, 332,
                                 6400, 4.0)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("rasterize/960x540/100000/" + set).c_str(), step, set, 960, 540,
                                 100000, 1.5)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace tessera::render
