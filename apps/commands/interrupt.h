// Ctrl-C and SIGTERM while something long runs: the first asks it to stop at the next good moment,
// the second ends the program at once.
// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace tessera::apps {

// Catches both signals for as long as it lives. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;

 private:
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
};

}  // namespace tessera::apps
