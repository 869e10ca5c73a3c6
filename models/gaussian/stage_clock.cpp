// SPDX-License-Identifier: MIT
#include "models/gaussian/stage_clock.h"

#include <algorithm>

namespace tessera::models {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;
using Row = core::Trace::Row;

}  // namespace

void StageClock::begin(int64_t step) {
  if (trace_ != nullptr) trace_->begin_step(step);
  begin_ = last_ = Clock::now();
}

void StageClock::mark(std::string_view stage) {
  mark(stage, Clock::now());
}

void StageClock::mark(std::string_view stage, Clock::time_point now) {
  add(stage, Milliseconds(now - last_).count());
  if (trace_ != nullptr) trace_->add(Row::kStages, stage, last_, now);
  last_ = now;
}

void StageClock::mark_inner(std::string_view stage) {
  const Clock::time_point now = Clock::now();
  for (const render::StageTime& time : inner_) {
    const auto length = std::chrono::round<Clock::duration>(Milliseconds(time.milliseconds));
    mark(time.stage, std::min(last_ + length, now));
  }
  mark(stage, now);
}

void StageClock::end() {
  const Clock::time_point now = Clock::now();
  total_milliseconds_ += Milliseconds(now - begin_).count();
  ++steps_;
  if (trace_ == nullptr) return;
  trace_->add(Row::kStages, kNoStage, last_, now);
  trace_->add(Row::kRun, "step", begin_, now);
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
