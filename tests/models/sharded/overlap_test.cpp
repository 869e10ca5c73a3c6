// Messages are under way while pixels are drawn. No clock tells: messages are held back until the
// drawing that they must not stop has begun, so a pass that waits for one before would never end.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "models/gaussian/camera_corrections.h"
#include "models/gaussian/sharded/ownership.h"
#include "models/gaussian/sharded/sharded_pass.h"
#include "models/gaussian/stage_clock.h"
#include "tests/models/made_gaussians.h"
#include "tests/models/sharded/ranks_fixture.h"

namespace tessera::models {
namespace {

// What one rank has begun in a step.
struct Begun {
  int drawings = 0;
  std::map<std::string, int, std::less<>> messages;  // rounds by tag
};

// Splats of round k end once drawing of round k - 1 has begun, gradients of round k once that of
// round k + 1 has.
class HeldExchange : public distributed::Exchange {
 public:
  HeldExchange(distributed::Handle handle, int peer, const Begun& begun, int drawings)
      : handle_(std::move(handle)), peer_(peer), begun_(begun), drawings_(drawings) {}
  int poll() override { return begun_.drawings >= drawings_ && handle_.done() ? 0 : 1; }
  int missing_peer() const override { return peer_; }

 private:
  distributed::Handle handle_;
  int peer_;
  const Begun& begun_;
  int drawings_;
};

class HoldingTransport : public distributed::Transport {
 public:
  HoldingTransport(distributed::Communicator& host, Begun& begun, int rounds)
      : Transport(host.group()), host_(host), begun_(begun), rounds_(rounds) {}

  std::unique_ptr<distributed::Exchange> start(
      std::string_view tag, std::span<const distributed::Send> sends,
      std::span<const distributed::Receive> receives) override {
    const int peer = sends.empty() ? receives.front().from : sends.front().to;
    int drawings = 0;
    if (tag == "splats") drawings = begun_.messages[std::string(tag)]++;
    if (tag == "splat gradients") {
      drawings = std::min(begun_.messages[std::string(tag)]++ + 2, rounds_);
    }
    return std::make_unique<HeldExchange>(host_.start(tag, sends, receives), peer, begun_,
                                          drawings);
  }
  std::unique_ptr<distributed::Transport> subgroup(distributed::Group /*group*/) override {
    return nullptr;
  }

 private:
  distributed::Communicator& host_;
  Begun& begun_;
  int rounds_;
};

// A window's photo is asked for when its drawing begins.
class CountingPhotos : public MemoryPhotos {
 public:
  CountingPhotos(const MemoryPhotos& photos, Begun& begun) : MemoryPhotos(photos), begun_(begun) {}
  std::shared_ptr<const core::Photo> photo(int view) override {
    ++begun_.drawings;
    return MemoryPhotos::photo(view);
  }

 private:
  Begun& begun_;
};

class Overlap : public RanksTest {
 protected:
  struct StepResult {
    int windows = 0;  // drawn by all ranks
    std::vector<double> losses;
    std::map<uint64_t, std::vector<float>> gradients;  // by id
  };

  // One step of all views, on two ranks; messages are held back if asked.
  StepResult step(const TrainSettings& settings, int rounds, bool held, double timeout_s = 60) {
    StepResult result;
    std::mutex mutex;
    distributed::run_in_threads(2, [&](distributed::Communicator& host) {
      host.set_timeout(timeout_s);
      Begun begun;
      distributed::Communicator holding(std::make_unique<HoldingTransport>(host, begun, rounds),
                                        host);
      core::ThreadPool pool(1);
      GaussianState own = state_of(cloud_from_points(scene.points, settings, pool));
      keep_share(own, host, pool);
      CountingPhotos photos(scene.photos, begun);
      CameraCorrections corrections(settings, 1.0, photos.count(), pool);
      StageClock clock;
      clock.begin(1);
      const std::unique_ptr<ViewPass> pass =
          make_sharded_pass({settings, photos, corrections, pool, clock}, held ? holding : host);
      std::vector<StepView> views(photos.count());
      for (int v = 0; v < photos.count(); ++v) {
        views[v].index = views[v].view = v;
        views[v].position = v;
      }
      render::RasterizeGradient gradient;
      gradient.parameters.reset(own.cloud.parameters.plane_count(), own.size());
      const std::vector<double> losses =
          pass->run(own.cloud, views, {}, gradient, [](const ViewStatistics&) {});
      const std::lock_guard lock(mutex);
      EXPECT_GE(begun.drawings, rounds);
      result.windows += begun.drawings;
      if (held) {
        EXPECT_EQ(begun.messages["splats"], rounds);
        EXPECT_EQ(begun.messages["splat gradients"], rounds);
      }
      result.losses = losses;
      for (int64_t i = 0; i < own.size(); ++i) {
        for (int p = 0; p < gradient.parameters.plane_count(); ++p) {
          result.gradients[own.cloud.ids[i]].push_back(gradient.parameters.plane(p)[i]);
        }
      }
    });
    return result;
  }
};

TEST_F(Overlap, MessagesTravelWhilePixelsAreDrawn) {
  struct Case {
    const char* partition;
    int views, rounds, windows;
  };
  // Of five balanced views the last one is cut.
  for (const auto& [partition, views, rounds, windows] :
       {Case{"views", 6, 3, 6}, {"blocks", 6, 6, 12}, {"balanced", 5, 3, 6}}) {
    scene.photos.views.resize(views);
    TrainSettings settings = settings_of(views);
    settings.partition = partition;
    const StepResult held = step(settings, rounds, true);
    const StepResult free = step(settings, rounds, false);
    EXPECT_EQ(held.windows, windows) << partition;
    EXPECT_EQ(held.losses, free.losses) << partition;
    EXPECT_EQ(held.gradients, free.gradients) << partition;
    settings.overlap = false;
    EXPECT_EQ(step(settings, rounds, false).gradients, free.gradients) << partition;
    EXPECT_THROW(step(settings, rounds, true, 0.5), distributed::RankFailed) << partition;
  }
}

}  // namespace
}  // namespace tessera::models
