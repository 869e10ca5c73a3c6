// The order of splats by depth: 1 M splats in view on one core, and what packing for the card
// takes.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <memory>

#include "tests/support/random_scene.h"
#include "viewer/draw/depth_order.h"
#include "viewer/draw/packed_splats.h"

namespace tessera::viewer {
namespace {

core::GaussianCloud cloud_before_a_camera(int64_t count, int sh_degree) {
  test::RandomCloud spec;
  spec.count = count;
  spec.sh_degree = sh_degree;
  return test::random_cloud(spec, test::pinhole_camera(1920, 1080));
}

void order(benchmark::State& state) {
  auto cloud = std::make_shared<core::GaussianCloud>(cloud_before_a_camera(state.range(0), 0));
  OrderRequest request;
  OrderItem item;
  item.cloud = cloud;
  item.radii = std::make_shared<core::Array<float>>(cloud->size(), 0.01F);
  item.states = std::make_shared<core::Array<uint8_t>>(cloud->size(), uint8_t{0});
  for (int a = 0; a < 3; ++a) item.camera_from_item[a][a] = 1;
  request.items = {item};
  request.x = request.y = {-1, 1, 0, 0, 1};
  request.nearest = 0.01F;
  OrderBuffers buffers;
  core::Array<uint32_t> numbers;
  for (auto _ : state) order_by_depth(request, buffers, numbers);
  state.counters["in_view"] = static_cast<double>(numbers.size());
}
BENCHMARK(order)->Arg(1000000)->Unit(benchmark::kMillisecond);

void pack(benchmark::State& state) {
  const core::GaussianCloud cloud = cloud_before_a_camera(200000, static_cast<int>(state.range(0)));
  core::ThreadPool pool(1);
  for (auto _ : state) benchmark::DoNotOptimize(pack_splats(cloud, pool));
  state.counters["ns/splat"] = benchmark::Counter(
      200000e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(pack)->Arg(0)->Arg(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::viewer
