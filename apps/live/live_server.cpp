// SPDX-License-Identifier: MIT
#include "apps/live/live_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "apps/commands/machine.h"
#include "apps/live/live_request.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

constexpr size_t kMostWatchers = 8;
constexpr int kTick_ms = 50;  // between looks at clocks, while someone watches
constexpr std::chrono::milliseconds kPausedAtOnce{100};
constexpr double kBetweenFigures_s = 1;
constexpr double kRateWindow_s = 0.5;
constexpr double kLastWords_s = 2;  // for those who are slow to take them

}  // namespace

LiveServer::LiveServer(const std::filesystem::path& folder)
    : folder_(folder),
      listening_(listen_in(folder)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!wake_) throw core::IoError(folder, "cannot be watched: too many files are open");
  thread_ = std::thread([this] { run(); });
}

LiveServer::~LiveServer() {
  {
    const std::lock_guard lock(mutex_);
    if (!is_end(state_.phase)) state_.phase = LivePhase::kFailed;
    closing_ = true;
  }
  wake();
  thread_.join();
  remove_socket_of(folder_);
}

void LiveServer::set_phase(LivePhase phase) {
  {
    const std::lock_guard lock(mutex_);
    state_.phase = phase;
  }
  wake();
}

void LiveServer::step_done(const models::TrainProgress& progress, double seconds_before) {
  const std::lock_guard lock(mutex_);
  state_.step = progress.images_seen;
  state_.steps = progress.iterations;
  state_.gaussians = progress.gaussians;
  state_.loss = progress.loss;
  state_.seconds = seconds_before + progress.seconds;
  const double passed = progress.seconds - rate_seconds_;
  if (rate_step_ >= 0 && passed < kRateWindow_s) return;
  if (rate_step_ >= 0) {
    state_.steps_per_second = static_cast<double>(progress.images_seen - rate_step_) / passed;
  }
  rate_step_ = progress.images_seen;
  rate_seconds_ = progress.seconds;
}

void LiveServer::extend_curves(const History& history) {
  const std::lock_guard lock(mutex_);
  const auto extend = [](auto& own, const auto& all) {
    own.insert(own.end(), all.begin() + static_cast<std::ptrdiff_t>(own.size()), all.end());
  };
  extend(curves_.samples, history.samples);
  extend(curves_.tests, history.tests);
}

void LiveServer::set_ranks(std::vector<LiveRank> ranks) {
  const std::lock_guard lock(mutex_);
  ranks_ = std::move(ranks);
}

void LiveServer::saved(int64_t step) {
  const std::lock_guard lock(mutex_);
  state_.saved_at = step;
}

void LiveServer::wishes_to_save_met() {
  const std::lock_guard lock(mutex_);
  state_.saves += std::exchange(saves_taken_, 0);
}

models::TrainWishes LiveServer::wishes() {
  std::unique_lock lock(mutex_);
  if (pauses_) {
    wished_.wait_for(lock, kPausedAtOnce, [&] {
      return !pause_ || stop_ || saves_ > 0 || figures_ || snapshot_degree_ >= 0;
    });
  }
  models::TrainWishes wishes;
  wishes.stop = stop_;
  wishes.pause = pause_ && !stop_;
  wishes.request = packed({saves_ > 0, figures_, static_cast<int>(snapshot_degree_)});
  saves_taken_ += std::exchange(saves_, 0);
  figures_ = false;
  if (std::exchange(pauses_, wishes.pause) != wishes.pause) wake();
  return wishes;
}

bool LiveServer::stop_wished() const {
  const std::lock_guard lock(mutex_);
  return stop_;
}

std::shared_ptr<LiveSnapshot> LiveServer::spare_snapshot() {
  const std::lock_guard lock(mutex_);
  return spare_ ? std::move(spare_) : std::make_shared<LiveSnapshot>();
}

void LiveServer::give(std::shared_ptr<LiveSnapshot> snapshot, double seconds) {
  {
    const std::lock_guard lock(mutex_);
    fresh_ = std::move(snapshot);
    fresh_seconds_ = seconds;
    snapshot_degree_ = -1;
  }
  wake();
}

void LiveServer::wake() {
  const uint64_t one = 1;
  // It fails only where the thread is about to wake already.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

// The server's thread from here on.
void LiveServer::run() {
  try {
    while (serve()) {
    }
    say_last_words();
  } catch (const std::exception&) {
    // For want of memory, say: the training goes on unwatched.
  }
  watchers_.clear();
  const std::lock_guard lock(mutex_);
  pause_ = false;
  snapshot_degree_ = -1;
}

bool LiveServer::serve() {
  wait_for_news();
  accept();
  std::erase_if(watchers_, [&](Watcher& watcher) {
    return !watcher.receive([&](LiveCommand command) { obey(command); });
  });
  hand_out();
  tell(false);
  std::erase_if(watchers_, [](Watcher& watcher) { return !watcher.send(); });
  collect_wishes();
  const std::lock_guard lock(mutex_);
  return !closing_;
}

void LiveServer::wait_for_news() {
  // No list that grows: an arena of this thread's would be 64 MB of addresses.
  std::array<pollfd, 2 + kMostWatchers> descriptors = {};
  descriptors[0] = {wake_.get(), POLLIN, 0};
  descriptors[1] = {listening_.get(), POLLIN, 0};
  size_t count = 2;
  for (const Watcher& watcher : watchers_) {
    const int events = POLLIN | (watcher.waits_to_send() ? POLLOUT : 0);
    descriptors.at(count++) = {watcher.socket().get(), static_cast<short>(events), 0};
  }
  poll(descriptors.data(), count, watchers_.empty() ? -1 : kTick_ms);
  uint64_t wakings = 0;
  [[maybe_unused]] const ssize_t taken = read(wake_.get(), &wakings, sizeof(wakings));
}

void LiveServer::accept() {
  while (Descriptor socket = accept_from(listening_)) {
    if (watchers_.size() < kMostWatchers) watchers_.emplace_back(std::move(socket));
  }
}

void LiveServer::obey(LiveCommand command) {
  const std::lock_guard lock(mutex_);
  switch (command) {
    case LiveCommand::kPause:
      pause_ = true;
      break;
    case LiveCommand::kResume:
      pause_ = false;
      break;
    case LiveCommand::kSave:
      ++saves_;
      break;
    case LiveCommand::kStop:
      stop_ = true;
      break;
  }
  wished_.notify_all();
}

void LiveServer::hand_out() {
  std::shared_ptr<LiveSnapshot> snapshot;
  double seconds = 0;
  {
    const std::lock_guard lock(mutex_);
    snapshot = std::move(fresh_);
    seconds = fresh_seconds_;
  }
  if (!snapshot) return;
  for (Watcher& watcher : watchers_) watcher.offer(snapshot, seconds);
  under_way_.push_back(std::move(snapshot));
}

void LiveServer::tell(bool at_once) {
  if (watchers_.empty()) return;
  const uint64_t memory = resident_memory_bytes();
  const std::lock_guard lock(mutex_);
  LiveState state = state_;
  if (pauses_ && state.phase == LivePhase::kTraining) state.phase = LivePhase::kPaused;
  if (state.phase != LivePhase::kTraining) state.steps_per_second = 0;
  state.memory_bytes = memory;
  at_once = at_once || state.phase != told_phase_;
  told_phase_ = state.phase;
  for (Watcher& watcher : watchers_) watcher.tell(state, ranks_, curves_, at_once);
}

void LiveServer::collect_wishes() {
  const std::lock_guard lock(mutex_);
  for (std::shared_ptr<LiveSnapshot>& snapshot : under_way_) {
    if (snapshot.use_count() == 1) spare_ = std::move(snapshot);
  }
  std::erase(under_way_, nullptr);
  if (watchers_.empty()) spare_ = nullptr;
  int64_t degree = -1;
  for (const Watcher& watcher : watchers_) {
    degree = std::max(degree, watcher.wished_degree(state_.step));
  }
  snapshot_degree_ = fresh_ ? -1 : degree;
  if (!watchers_.empty() && clock_.seconds() - figures_at_ >= kBetweenFigures_s) {
    figures_ = true;
    figures_at_ = clock_.seconds();
  }
  if (snapshot_degree_ >= 0 || figures_) wished_.notify_all();
}

void LiveServer::say_last_words() {
  hand_out();
  tell(true);
  for (const core::Timer timer; !watchers_.empty() && timer.seconds() < kLastWords_s;) {
    std::erase_if(watchers_,
                  [](Watcher& watcher) { return !watcher.send() || !watcher.waits_to_send(); });
    if (!watchers_.empty()) wait_for_news();
  }
}

}  // namespace tessera::apps
