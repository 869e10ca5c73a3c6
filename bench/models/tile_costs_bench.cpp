// What a tile, a (tile, splat) pair and a (pixel, splat) evaluation cost, forward and backward: the
// least squares of relative errors over windows of views, drawn on one thread. They are what
// tile_costs.h has, in units of an evaluation.
//
// Views: of a made city, and of trained scenes at half the size of their photos, where
// TESSERA_BENCH_SCENES names them: scene.ply=capture, several with ':' between.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "bench/models/city.h"
#include "bench/models/window_work.h"

namespace tessera::models {
namespace {

constexpr int kKinds = 3;  // tile, pair, evaluation
using Costs = std::array<double, kKinds>;

// Windows of a view, all of a size.
void measure(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
             std::vector<WindowWork>& to) {
  WorkingView view(cloud, camera);
  const core::PixelWindow& picture = view.picture();
  for (const int across : {3, 5}) {
    const int width = render::tiles_along(picture.width / across) * render::kTileSize;
    const int height = render::tiles_along(picture.height / across) * render::kTileSize;
    for (int top = 0; top < picture.height; top += height) {
      for (int left = 0; left < picture.width; left += width) {
        to.push_back(view.work(core::intersection({left, top, width, height}, picture), 12));
      }
    }
  }
}

void measure_city(std::vector<WindowWork>& to) {
  const CityPlan plan;
  const core::GaussianCloud cloud = city(plan, 2000000);
  const std::vector<core::PosedCamera> streets = cameras_in_streets(plan, 3840, 2160);
  measure(cloud, streets[streets.size() / 2], to);
  const double s = std::sqrt(0.5);
  measure(cloud, camera_in_city({0, 0, 80}, {0, -1, 0}, {s, 0, -s}, 3840, 2160, 1.2), to);
}

void measure_trained(std::vector<WindowWork>& to) {
  const char* named = std::getenv("TESSERA_BENCH_SCENES");
  std::istringstream scenes(named == nullptr ? "" : named);
  for (std::string scene; std::getline(scenes, scene, ':');) {
    const size_t equals = scene.find('=');
    const core::GaussianScene trained = assets::read_scene(scene.substr(0, equals));
    const core::Capture capture = assets::read_capture(scene.substr(equals + 1));
    for (const size_t v : {size_t{0}, capture.views.size() / 2}) {
      const core::Camera& camera = capture.views[v].camera;
      measure(trained.cloud,
              {core::scaled(camera, camera.width / 2, camera.height / 2),
               capture.views[v].cam_from_world},
              to);
    }
  }
}

// Solves the normal equations by elimination; they are positive definite.
Costs least_squares(const std::vector<WindowWork>& windows) {
  double rows[kKinds][kKinds + 1] = {};
  for (const WindowWork& window : windows) {
    for (int i = 0; i < kKinds; ++i) {
      const double x = window.counts[i] / window.seconds;
      for (int j = 0; j < kKinds; ++j) rows[i][j] += x * window.counts[j] / window.seconds;
      rows[i][kKinds] += x;
    }
  }
  for (int pivot = 0; pivot < kKinds; ++pivot) {
    for (int i = 0; i < kKinds; ++i) {
      if (i == pivot) continue;
      const double factor = rows[i][pivot] / rows[pivot][pivot];
      for (int j = pivot; j <= kKinds; ++j) rows[i][j] -= factor * rows[pivot][j];
    }
  }
  Costs costs;
  for (int i = 0; i < kKinds; ++i) costs[i] = rows[i][kKinds] / rows[i][i];
  return costs;
}

void tile_costs(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<WindowWork> windows;
    measure_city(windows);
    measure_trained(windows);
    const Costs costs = least_squares(windows);
    double squares = 0;
    for (const WindowWork& window : windows) {
      double expected = 0;
      for (int i = 0; i < kKinds; ++i) expected += costs[i] * window.counts[i];
      squares += std::pow(expected / window.seconds - 1, 2);
    }
    const auto count = static_cast<double>(windows.size());
    state.counters["windows"] = count;
    state.counters["evaluation_ns"] = 1e9 * costs[2];
    state.counters["tile_by_evaluation"] = costs[0] / costs[2];
    state.counters["pair_by_evaluation"] = costs[1] / costs[2];
    state.counters["relative_error"] = std::sqrt(squares / count);
  }
}
BENCHMARK(tile_costs)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace tessera::models
