// What a rank tells all others about itself, outside the messages of the work: that it lives, whom
// it waits for, that it failed. The backend carries it; liveness.h says what follows from it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace tessera::distributed {

enum class RankState : uint8_t {
  kWorking,
  kLongWork,  // announced by a LongWork scope: not to be taken for a hang
  kWaiting,
  kFailed,
  kStopped,  // failed, and has ended its work
};

// Ranks are those of the world.
struct Signal {
  uint64_t number = 0;  // one more than in the signal before; 0: none yet
  RankState state = RankState::kWorking;
  int peer = -1;      // kWaiting: who is waited for; kFailed, kStopped: whose fault it is
  double idle_s = 0;  // kWaiting: how long nothing has come
  std::string text;   // kLongWork: at what; kFailed, kStopped: the sentence to be shown
};

class SignalBoard {
 public:
  virtual ~SignalBoard() = default;

  // Both may be called from any thread. post() replaces one's signal before; it does not wait for
  // anyone. read() sets those that have changed to the newest, [world size], one's own included.
  virtual void post(const Signal& signal) = 0;
  virtual void read(std::span<Signal> newest) = 0;
};

}  // namespace tessera::distributed
