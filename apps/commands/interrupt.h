// Ctrl-C and SIGTERM while something long runs: the first asks it to stop at the next good moment,
// the second ends the program at once. SIGUSR1, which launchers hand on to the ranks they started,
// asks for the same without a word; so does a file, whose name a launcher may give its ranks by
// kStopFileVariable: it is there for ranks that have not begun when the wish comes.
// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace tessera::apps {

inline constexpr const char* kStopFileVariable = "TESSERA_STOP_WHEN_THERE";

// Catches these signals for as long as it lives. One at a time.
class InterruptGuard {
 public:
  // The first signal is answered by `sentence`, a literal.
  explicit InterruptGuard(const char* sentence =
                              "Stopping after this step and saving; once more to "
                              "quit at once without saving.");
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;

 private:
  const char* stop_file_ = nullptr;  // null: no launcher named one
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
  struct sigaction old_user_ = {};
};

}  // namespace tessera::apps
