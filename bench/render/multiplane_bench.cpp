// Multiplane images on one thread and on two, for each instruction set: pictures per second, and
// CPU nanoseconds per covered pixel and layer.
//
// `tiled`: 1 MP in tiles of 64 pixels every 56, four layers a tile, the farthest opaque: with the
// tiles' overlap 5.2 layers a pixel. `planes`: 32 planes of 1024x768 that face the camera; opaque,
// so that the first ones hide the others, or so faint that none is left out. `scene`: multiplane
// images that TESSERA_BENCH_MULTIPLANE names, several with ':' between, from beside their
// reference.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "assets/multiplane_io.h"
#include "core/isa.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/multiplane_scenes.h"

namespace tessera::render {
namespace {

core::MultiplaneImageF tiled(double slant) {
  return test::tiled_image(1152, 896, 64, 56, 4, slant, 0.0F, 1);
}

core::MultiplaneImageF planes(float alpha) {
  core::MultiplaneImageF image;
  image.camera = test::pinhole_camera(1024, 768);
  for (int i = 0; i < 32; ++i) {
    test::add_layer(image, {0, 0, 0.1F + 0.02F * static_cast<float>(i)}, {0, 0, 1024, 768}, 1, i);
    for (float& v : image.pages.back().data) v *= alpha;
  }
  return image;
}

std::unique_ptr<MultiplaneRenderer> renderer_of(const std::string& isa, core::ThreadPool& pool) {
  setenv("TESSERA_ISA", isa.c_str(), 1);
  auto renderer = make_multiplane_renderer("cpu", pool);
  unsetenv("TESSERA_ISA");
  return renderer;
}

template <class T>
double covered_pixels(const core::BasicMultiplaneImage<T>& image) {
  double pixels = 0;
  const core::Camera& c = image.camera.camera;
  for (const core::MultiplaneLayer& layer : image.layers) {
    const core::PixelWindow seen = intersection(layer.window, {0, 0, c.width, c.height});
    pixels += static_cast<double>(seen.width) * seen.height;
  }
  return pixels;
}

template <class T>
core::PosedCamera target_of(const core::BasicMultiplaneImage<T>& image) {
  const core::Camera& c = image.camera.camera;
  return test::target_beside(image.camera, c.width, c.height, {0.02, 0.01, -0.03}, {0, 0, 0});
}

void show(benchmark::State& state, const core::MultiplaneImage& image, const std::string& isa,
          int threads) {
  core::ThreadPool pool(threads);
  const auto renderer = renderer_of(isa, pool);
  const core::PosedCamera target = target_of(image);
  MultiplaneOutput output;
  renderer->forward(image, target, {}, output);
  const std::clock_t start = std::clock();
  for (auto _ : state) renderer->forward(image, target, {}, output);
  const double ns = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC /
                    static_cast<double>(state.iterations());
  state.counters["cpu_ms"] = ns * 1e-6;
  state.counters["ns_per_pixel_layer"] = ns / covered_pixels(image);
  state.counters["layers_per_pixel"] =
      covered_pixels(image) / static_cast<double>(output.alpha.pixel_count());
}

void fit(benchmark::State& state, const core::MultiplaneImageF& image, const std::string& isa) {
  core::ThreadPool pool(1);
  const auto renderer = renderer_of(isa, pool);
  const core::PosedCamera target = target_of(image);
  MultiplaneOutput output;
  MultiplaneGradient gradient = zero_gradient(image);
  MultiplaneOutputGradient d;
  d.color = core::ImageF(target.camera.width, target.camera.height, 3);
  d.color.data.fill(1e-3F);
  double forward = 0, backward = 0;
  for (auto _ : state) {
    const std::clock_t start = std::clock();
    renderer->forward(image, target, {}, output);
    const std::clock_t middle = std::clock();
    renderer->backward(image, d, gradient);
    forward += static_cast<double>(middle - start);
    backward += static_cast<double>(std::clock() - middle);
  }
  const double scale =
      1e9 / CLOCKS_PER_SEC / static_cast<double>(state.iterations()) / covered_pixels(image);
  state.counters["ns_forward"] = forward * scale;
  state.counters["ns_backward"] = backward * scale;
}

std::vector<std::string> named_scenes() {
  const char* named = std::getenv("TESSERA_BENCH_MULTIPLANE");
  std::vector<std::string> scenes;
  std::istringstream words(named == nullptr ? "" : named);
  for (std::string scene; std::getline(words, scene, ':');) scenes.push_back(scene);
  return scenes;
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const std::string& name, const auto& body) {
    benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  for (const core::Isa isa : core::usable_isas()) {
    const std::string set(name_of(isa));
    for (const int threads : {1, 2}) {
      for (const std::string& scene : named_scenes()) {
        add("multiplane/scene/" + std::filesystem::path(scene).filename().string() +
                "/threads:" + std::to_string(threads) + "/" + set,
            [=](benchmark::State& s) { show(s, assets::read_multiplane(scene), set, threads); });
      }
      const std::string end = "/threads:" + std::to_string(threads) + "/" + set;
      add("multiplane/tiled" + end,
          [=](benchmark::State& s) { show(s, test::in_bytes(tiled(0)), set, threads); });
      add("multiplane/tiled_slanted" + end,
          [=](benchmark::State& s) { show(s, test::in_bytes(tiled(0.02)), set, threads); });
    }
    add("multiplane/planes_opaque/" + set,
        [=](benchmark::State& s) { show(s, test::in_bytes(planes(1)), set, 1); });
    add("multiplane/planes_faint/" + set,
        [=](benchmark::State& s) { show(s, test::in_bytes(planes(0.05F)), set, 1); });
    add("multiplane/fit/" + set, [=](benchmark::State& s) { fit(s, tiled(0.02), set); });
  }
  return true;
}();

}  // namespace
}  // namespace tessera::render
