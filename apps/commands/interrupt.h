// Ctrl-C and SIGTERM while something long runs: the first asks it to stop at the next good moment,
// the second ends the program at once. SIGUSR1, which launchers hand on to the ranks they started,
// asks for the same without a word.
// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace tessera::apps {

// Catches these signals for as long as it lives. One at a time.
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
  struct sigaction old_user_ = {};
};

}  // namespace tessera::apps
