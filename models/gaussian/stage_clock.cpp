// SPDX-License-Identifier: MIT
#include "models/gaussian/stage_clock.h"

namespace tessera::models {

void StageClock::begin() {
  begin_ = timer_.seconds();
  last_ = begin_;
}

void StageClock::mark(std::string_view stage) {
  const double now = timer_.seconds();
  add(stage, 1e3 * (now - last_));
  last_ = now;
}

void StageClock::mark_inner(std::string_view stage) {
  const double now = timer_.seconds();
  double rest = 1e3 * (now - last_);
  for (const render::StageTime& time : inner_) {
    add(time.stage, time.milliseconds);
    rest -= time.milliseconds;
  }
  add(stage, rest);
  last_ = now;
}

void StageClock::end() {
  total_milliseconds_ += 1e3 * (timer_.seconds() - begin_);
  ++steps_;
}

void StageClock::add(std::string_view stage, double milliseconds) {
  for (render::StageTime& known : stages_) {
    if (known.stage != stage) continue;
    known.milliseconds += milliseconds;
    return;
  }
  stages_.push_back({stage, milliseconds});
}

}  // namespace tessera::models
