// The training's end of the live view: a thread that answers those who watch.
//
// The training's own thread leaves its figures here after each step and takes wishes along, both
// under a lock that no one holds while anything is sent. So whoever watches, however slowly, delays
// no step; while nobody does, the thread sleeps.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "apps/live/live_protocol.h"
#include "apps/live/watcher.h"
#include "core/timer.h"
#include "models/gaussian/train.h"

namespace tessera::apps {

// All but the constructor and the destructor is for the training's thread alone.
class LiveServer {
 public:
  // Answers at folder/.live; the folder is the caller's alone. Throws core::IoError.
  explicit LiveServer(const std::filesystem::path& folder);
  // Tells the last phase, kFailed if none that is an end was set, and hangs up.
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  void set_phase(LivePhase phase);
  // `seconds_before`: of training, in earlier starts of the run.
  void step_done(const models::TrainProgress& progress, double seconds_before);
  // Takes what `history` has more than what it had the last time.
  void extend_curves(const History& history);
  void set_ranks(std::vector<LiveRank> ranks);
  // The scene of that step stands in the folder.
  void saved(int64_t step);
  void wishes_to_save_met();

  // What is wished now, a LiveRequest in `request`. Where the training pauses already this waits
  // until something else is wished, but no longer than a tenth of a second.
  models::TrainWishes wishes();
  bool stop_wished() const;

  // One to be filled anew.
  std::shared_ptr<LiveSnapshot> spare_snapshot();
  // For those who wished for it; `seconds` is what it cost the training.
  void give(std::shared_ptr<LiveSnapshot> snapshot, double seconds);

 private:
  void wake();
  void run();
  bool serve();
  void wait_for_news();
  void accept();
  void obey(LiveCommand command);
  void hand_out();
  void tell(bool at_once);
  void collect_wishes();
  void say_last_words();

  const std::filesystem::path folder_;
  Descriptor listening_;
  Descriptor wake_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable wished_;
  LiveState state_;
  std::vector<LiveRank> ranks_;
  History curves_;
  double rate_seconds_ = 0;  // of the step that the rate is counted from
  int64_t rate_step_ = -1;
  bool closing_ = false;
  bool stop_ = false;
  bool pause_ = false;
  bool pauses_ = false;      // the training's thread has taken the wish along
  int64_t saves_ = 0;        // wished,
  int64_t saves_taken_ = 0;  // taken along and not met yet
  bool figures_ = false;
  int64_t snapshot_degree_ = -1;
  std::shared_ptr<LiveSnapshot> fresh_;
  double fresh_seconds_ = 0;
  std::shared_ptr<LiveSnapshot> spare_;

  // The thread's own.
  std::vector<Watcher> watchers_;
  std::vector<std::shared_ptr<LiveSnapshot>> under_way_;
  std::optional<LivePhase> told_phase_;
  core::Timer clock_;
  double figures_at_ = 0;

  std::thread thread_;
};

}  // namespace tessera::apps
