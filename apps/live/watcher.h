// One of those who watch a training, as its server sees them.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>

#include "apps/live/live_socket.h"

namespace tessera::apps {

class Watcher {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Watcher(Descriptor socket);

  const Descriptor& socket() const { return socket_; }
  bool waits_to_send() const { return !outbox_.empty(); }

  // Commands that came, by `take`. False once this one is gone, or is not to be listened to.
  bool receive(const std::function<void(LiveCommand)>& take);
  bool send();

  // Curves that are new to it, and the state, now and then or `at_once`. Not to those who have not
  // taken what came before, but for the last word.
  void tell(const LiveState& state, std::span<const LiveRank> ranks, const History& curves,
            bool at_once);

  // The degree of color of a snapshot that it is to have of this step; -1: none now.
  int64_t wished_degree(int64_t step) const;
  // Of one that was taken now and cost so much; nothing happens if it was not wished for.
  void offer(const std::shared_ptr<const LiveSnapshot>& snapshot, double seconds);

 private:
  bool wants_snapshot(int64_t step) const;
  void take(LiveMessage message, std::span<const std::byte> payload,
            const std::function<void(LiveCommand)>& take);
  void charge(double seconds);

  Descriptor socket_;
  MessageReader reader_;
  Outbox outbox_;
  bool greeted_ = false;
  Clock::time_point last_moved_;  // anything, in or out
  Clock::time_point told_;
  size_t samples_told_ = 0;
  size_t tests_told_ = 0;
  LiveSnapshotWish wish_;
  bool sends_snapshot_ = false;
  Clock::time_point not_before_;  // by every_ms
  Clock::time_point paid_off_;    // by share
};

}  // namespace tessera::apps
