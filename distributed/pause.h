// How a rank passes the time between two looks for a message: it gives way a number of times, for
// what is nearly there, then sleeps ever longer. Ranks often outnumber cores, and a rank that spins
// takes the core from the one it waits for.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace tessera::distributed {

class Pause {
 public:
  // The sleeps stay short if asked.
  void once(bool short_sleep) {
    if (yields_ < kYields) {
      ++yields_;
      std::this_thread::yield();
      return;
    }
    std::this_thread::sleep_for(sleep_);
    sleep_ = short_sleep ? kFirstSleep : std::min(2 * sleep_, kLongestSleep);
  }

 private:
  static constexpr int kYields = 100;
  static constexpr std::chrono::microseconds kFirstSleep{50};
  static constexpr std::chrono::microseconds kLongestSleep{1000};

  int yields_ = 0;
  std::chrono::microseconds sleep_ = kFirstSleep;
};

}  // namespace tessera::distributed
