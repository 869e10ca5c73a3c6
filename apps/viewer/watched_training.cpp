// SPDX-License-Identifier: MIT
#include "apps/viewer/watched_training.h"

#include "apps/live/live_training.h"

namespace tessera::apps {
namespace {

constexpr int64_t kWithoutEnd = int64_t{1} << 40;  // pictures
constexpr int64_t kLeastMs = 100;                  // between them

class WatchedTraining : public viewer::Training {
 public:
  explicit WatchedTraining(const std::filesystem::path& output) : live_(output) {}

  viewer::TrainingFigures figures() const override {
    const LiveNews news = live_.news();
    viewer::TrainingFigures f;
    f.attached = news.attached;
    f.trouble = news.trouble;
    f.number = news.number;
    if (news.state) {
      const LiveState& state = *news.state;
      f.phase = name_of(state.phase);
      f.paused = state.phase == LivePhase::kPaused;
      f.over = is_end(state.phase);
      f.step = state.step;
      f.steps = state.steps;
      f.gaussians = state.gaussians;
      f.loss = state.loss;
      f.seconds = state.seconds;
      f.steps_per_second = state.steps_per_second;
      f.memory_bytes = state.memory_bytes;
    }
    for (const LiveRank& rank : news.ranks) {
      f.ranks.push_back({rank.worked_s, rank.waited_s, rank.bytes_sent, rank.gaussians});
    }
    for (const History::Sample& sample : news.curves->samples) {
      f.losses.push_back({static_cast<double>(sample.step), sample.loss});
    }
    for (const History::Test& test : news.curves->tests) {
      f.psnrs.push_back({static_cast<double>(test.step), test.psnr});
    }
    return f;
  }

  viewer::TrainedScene newer_scene(int64_t step, double seconds) override {
    LiveNews news = live_.news();
    if (news.scene == nullptr || news.scene->step <= step) news = live_.wait(news.number, seconds);
    if (news.scene == nullptr || news.scene->step <= step) return {};
    return {news.scene->step, {news.scene, &news.scene->scene}, news.scene->owners};
  }

  void watch(double share) override {
    LiveSnapshotWish wish;
    wish.count = share > 0 ? kWithoutEnd : 0;
    wish.every_ms = kLeastMs;
    if (share > 0) wish.share = share;
    live_.wish(wish);
  }

  bool pause() override { return live_.send(LiveCommand::kPause); }
  bool resume() override { return live_.send(LiveCommand::kResume); }
  bool save() override { return live_.send(LiveCommand::kSave); }
  bool stop() override { return live_.send(LiveCommand::kStop); }

 private:
  LiveTraining live_;
};

}  // namespace

std::unique_ptr<viewer::Training> watched_training(const std::filesystem::path& output) {
  return std::make_unique<WatchedTraining>(output);
}

}  // namespace tessera::apps
