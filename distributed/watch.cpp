// SPDX-License-Identifier: MIT
#include "distributed/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/timer.h"
#include "distributed/pause.h"

namespace tessera::distributed {

double signal_interval_s(double limit_s) {
  return std::min(1.0, limit_s / 4);
}

Watch::Watch(std::unique_ptr<SignalBoard> board, int world_rank, int world_size)
    : board_(std::move(board)),
      rank_(world_rank),
      newest_(world_size),
      seen_at_(world_size, Clock::now()),
      seen_number_(world_size, 0),
      tended_at_(Clock::now()),
      read_at_(tended_at_) {}

bool Watch::due(Clock::time_point& last, double interval_s) const {
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - last).count() < interval_s) return false;
  last = now;
  return newest_.size() > 1;
}

void Watch::tend(double limit_s) {
  if (!due(tended_at_, signal_interval_s(limit_s))) return;
  post();
  read();
  throw_if_one_failed();
}

void Watch::tend_waiting(std::string_view tag, int peer, double idle_s, double limit_s) {
  read();
  throw_if_one_failed();
  {
    const std::lock_guard lock(mutex_);
    waiting_for_ = peer;
    idle_s_ = idle_s;
    if (due(tended_at_, signal_interval_s(limit_s))) {
      post_locked();
      told_that_waiting_ = true;
    }
  }
  if (idle_s < limit_s) return;
  std::vector<LastSignal> last;
  const Clock::time_point now = Clock::now();
  for (size_t r = 0; r < newest_.size(); ++r) {
    last.push_back({newest_[r], std::chrono::duration<double>(now - seen_at_[r]).count()});
  }
  const Verdict verdict = diagnose(last, rank_, peer, limit_s);
  if (verdict.kind == Verdict::Kind::kAlive) return;
  const std::string sentence = describe(verdict, rank_, tag, limit_s);
  post_failure(verdict.ranks.back(), sentence);
  throw RankFailed(verdict.ranks.back(), sentence);
}

void Watch::end_waiting() {
  const std::lock_guard lock(mutex_);
  waiting_for_ = -1;
  if (std::exchange(told_that_waiting_, false)) post_locked();
}

void Watch::begin_long_work(std::string_view what) {
  const std::lock_guard lock(mutex_);
  long_works_.emplace_back(what);
  post_locked();
}

void Watch::end_long_work() {
  const std::lock_guard lock(mutex_);
  long_works_.pop_back();
  post_locked();
}

void Watch::post() {
  const std::lock_guard lock(mutex_);
  post_locked();
}

void Watch::post_locked() {
  ++own_.number;
  // A failure is the last word. Waiting goes before long work: a rank that waits in the midst of
  // it is part of a chain.
  if (own_.state < RankState::kFailed) {
    own_.peer = waiting_for_;
    own_.idle_s = idle_s_;
    own_.text = long_works_.empty() ? "" : long_works_.back();
    own_.state = waiting_for_ >= 0     ? RankState::kWaiting
                 : long_works_.empty() ? RankState::kWorking
                                       : RankState::kLongWork;
  }
  board_->post(own_);
}

void Watch::post_failure(int whose, std::string sentence) {
  const std::lock_guard lock(mutex_);
  if (own_.state >= RankState::kFailed) return;
  own_.state = RankState::kFailed;
  own_.peer = whose;
  own_.text = std::move(sentence);
  post_locked();
}

void Watch::fail(std::string_view sentence) {
  post_failure(rank_, fmt::format("Rank {} stopped: {}", rank_, sentence));
}

void Watch::read() {
  board_->read(newest_);
  const Clock::time_point now = Clock::now();
  for (size_t r = 0; r < newest_.size(); ++r) {
    if (std::exchange(seen_number_[r], newest_[r].number) != newest_[r].number) seen_at_[r] = now;
  }
}

void Watch::throw_if_one_failed() {
  for (size_t r = 0; r < newest_.size(); ++r) {
    const Signal& signal = newest_[r];
    if (signal.state < RankState::kFailed || static_cast<int>(r) == rank_) continue;
    post_failure(signal.peer, signal.text);
    throw RankFailed(signal.peer, signal.text, true);
  }
}

void Watch::stop_together(double longest_s) {
  {
    const std::lock_guard lock(mutex_);
    own_.state = RankState::kStopped;
    post_locked();
  }
  const core::Timer timer;
  Pause pause;
  const auto stopped = [](const Signal& signal) { return signal.state == RankState::kStopped; };
  for (read(); !std::all_of(newest_.begin(), newest_.end(), stopped); read()) {
    if (timer.seconds() > longest_s) return;
    pause.once(false);
  }
}

}  // namespace tessera::distributed
