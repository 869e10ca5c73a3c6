// Times of named stages, gathered until somebody takes them.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "core/timer.h"

namespace tessera::render {

// Milliseconds by stage since the last reset, for --profile.
struct StageTime {
  std::string_view stage;  // a string that lives forever
  double milliseconds = 0;
};

class StageTimes {
 public:
  template <class Body>
  void timed(std::string_view stage, const Body& body) {
    const core::Timer timer;
    body();
    times_.push_back({stage, timer.seconds() * 1e3});
  }

  // Appends the stages timed since the last call.
  void take(std::vector<StageTime>& times) {
    times.insert(times.end(), times_.begin(), times_.end());
    times_.clear();
  }

 private:
  std::vector<StageTime> times_;
};

}  // namespace tessera::render
