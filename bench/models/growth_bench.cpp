// How a training step grows with pixels (goal: linear), with visible Gaussians (linear) and with
// photos in the capture (not at all). CPU time on one thread, without densification.
// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/photo_source.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/train.h"
#include "tests/support/random_scene.h"
#include "tests/support/recording_log.h"

namespace tessera::models {
namespace {

// `count` views of one photo, all from nearly the same place.
class OnePhoto final : public core::PhotoSource {
 public:
  OnePhoto(int count, const core::PosedCamera& camera) {
    auto photo = std::make_shared<core::Photo>();
    photo->pixels = core::Image8(camera.camera.width, camera.camera.height, 3);
    test::Random random(3);
    for (uint8_t& v : photo->pixels.data) v = static_cast<uint8_t>(random.uniform(0, 255));
    photo_ = photo;
    for (int i = 0; i < count; ++i) {
      cameras_.push_back(camera);
      cameras_.back().cam_from_world.translation.x += 1e-3 * i / count;
      names_.push_back("photo " + std::to_string(i));
    }
  }

  int count() const override { return static_cast<int>(cameras_.size()); }
  const std::string& name(int view) const override { return names_[view]; }
  const core::PosedCamera& camera(int view) const override { return cameras_[view]; }
  bool is_masked_out(int) const override { return false; }
  std::shared_ptr<const core::Photo> photo(int) override { return photo_; }
  void prefetch(int) override {}

 private:
  std::shared_ptr<const core::Photo> photo_;
  std::vector<core::PosedCamera> cameras_;
  std::vector<std::string> names_;
};

// Gaussians whose sizes shrink as they become more, so that each pixel sees as many.
core::GaussianCloud cloud_covering(const core::PosedCamera& camera, int64_t count) {
  test::RandomCloud spec;
  spec.count = count;
  spec.sh_degree = 3;
  const double pixels = static_cast<double>(camera.camera.width) * camera.camera.height;
  const double size = 0.7 * std::sqrt(pixels / static_cast<double>(count));
  spec.min_pixels = size / 3;
  spec.max_pixels = size * 3;
  return test::random_cloud(spec, camera);
}

void train(benchmark::State& state, int width, int64_t gaussians, int photos) {
  constexpr int64_t kSteps = 10;
  const core::PosedCamera camera = test::pinhole_camera(width, width * 2 / 3);
  OnePhoto source(photos, camera);
  TrainSettings settings;
  settings.iterations = kSteps;
  settings.densify_from = settings.densify_until = kSteps;
  settings.checkpoint_every = 0;
  std::vector<int> views(photos);
  std::iota(views.begin(), views.end(), 0);
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  core::ThreadPool pool(1);
  tests::RecordingLog log;
  for (auto _ : state) {
    state.PauseTiming();
    Trainer trainer(settings, cloud_covering(camera, gaussians), source, views, *alone, pool, log);
    state.ResumeTiming();
    trainer.run({});
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
  state.counters["pixels"] = static_cast<double>(width) * (width * 2 / 3);
  state.counters["gaussians"] = static_cast<double>(gaussians);
  state.counters["photos"] = photos;
}

[[maybe_unused]] const bool kRegistered = [] {
  const auto add = [](const std::string& name, int width, int64_t gaussians, int photos) {
    benchmark::RegisterBenchmark(name.c_str(), train, width, gaussians, photos)
        ->Unit(benchmark::kMillisecond);
  };
  for (const int width : {240, 480, 720, 960, 1440}) {
    add("pixels/" + std::to_string(width), width, 20000, 20);
  }
  for (const int64_t gaussians : {10000, 50000, 100000, 200000, 400000}) {
    add("gaussians/" + std::to_string(gaussians), 480, gaussians, 20);
  }
  for (const int photos : {1, 10, 100, 1000}) {
    add("photos/" + std::to_string(photos), 480, 20000, photos);
  }
  return true;
}();

}  // namespace
}  // namespace tessera::models
