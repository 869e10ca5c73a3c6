// One rank's part in watching over the others: it posts the rank's own signals, reads theirs, and
// ends the run when one has failed or is silent.
//
// It costs nothing while messages flow: signals go out about once a second, from calls that the
// rank makes anyway (or from the thread of a LongWork).
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "distributed/liveness.h"
#include "distributed/signal_board.h"

namespace tessera::distributed {

// How often a rank gives a sign of life where silence of limit_s counts as a failure.
double signal_interval_s(double limit_s);

class Watch {
 public:
  Watch(std::unique_ptr<SignalBoard> board, int world_rank, int world_size);

  // To be called whenever the rank communicates: posts and reads if that is due. Throws RankFailed
  // if another rank has failed.
  void tend(double limit_s);

  // While the rank waits: whether it is time for tend_waiting(), which is then to be called.
  bool waiting_needs_tending() { return due(read_at_, kReadInterval_s); }

  // The rank waits in `tag` for the world rank `peer`, having got nothing for idle_s. Throws
  // RankFailed if another rank has failed or, once idle_s reaches limit_s, if a silent rank or a
  // ring of waiting ranks is why.
  void tend_waiting(std::string_view tag, int peer, double idle_s, double limit_s);
  void end_waiting();

  // From any thread.
  void begin_long_work(std::string_view what);
  void end_long_work();
  void post();

  // Tells all other ranks to stop: they throw RankFailed with this sentence. What they told us
  // before is not told back as ours.
  void fail(std::string_view sentence);

  // After fail(), when the rank has ended its work: tells that, and waits for so many seconds at
  // most until all others have told it too.
  void stop_together(double longest_s);

 private:
  using Clock = std::chrono::steady_clock;

  // How soon a waiting rank learns that another failed.
  static constexpr double kReadInterval_s = 0.005;

  void post_locked();
  void post_failure(int whose, std::string sentence);
  void read();
  void throw_if_one_failed();
  bool due(Clock::time_point& last, double interval_s) const;

  std::unique_ptr<SignalBoard> board_;
  int rank_;

  // What others said; of the rank's own thread.
  std::vector<Signal> newest_;
  std::vector<Clock::time_point> seen_at_;
  std::vector<uint64_t> seen_number_;
  Clock::time_point tended_at_;
  Clock::time_point read_at_;

  std::mutex mutex_;  // what we say; a LongWork's thread posts too
  Signal own_;
  std::vector<std::string> long_works_;
  int waiting_for_ = -1;
  double idle_s_ = 0;
  bool told_that_waiting_ = false;
};

}  // namespace tessera::distributed
