// Where the time of a training step goes: every moment between begin() and end() belongs to a
// stage with a name.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/trace.h"
#include "render/gaussian/stage_times.h"

namespace tessera::models {

inline constexpr std::string_view kNoStage = "not in any stage";

class StageClock {
 public:
  // Steps and their stages are recorded there too; null ends that.
  void trace_into(core::Trace* trace) { trace_ = trace; }

  // `step`: photos seen after it.
  void begin(int64_t step);
  // The time since begin() or the last mark belongs to `stage`, a string that lives forever.
  void mark(std::string_view stage);
  // The same, but for what `timed` (a rasterizer or a half of one) timed itself; the rest belongs
  // to `stage`. A trace shows the rest last.
  template <class Timed>
  void mark(std::string_view stage, Timed& timed) {
    inner_.clear();
    timed.take_stage_times(inner_);
    mark_inner(stage);
  }
  void end();

  const std::vector<render::StageTime>& stages() const { return stages_; }
  double total_milliseconds() const { return total_milliseconds_; }
  int64_t steps() const { return steps_; }

 private:
  using Clock = core::Trace::Clock;

  void mark_inner(std::string_view stage);
  void mark(std::string_view stage, Clock::time_point now);
  void add(std::string_view stage, double milliseconds);

  core::Trace* trace_ = nullptr;
  Clock::time_point begin_, last_;
  double total_milliseconds_ = 0;
  int64_t steps_ = 0;
  std::vector<render::StageTime> stages_;
  std::vector<render::StageTime> inner_;
};

}  // namespace tessera::models
