// Where the time of a training step goes: every moment between begin() and end() belongs to a
// stage with a name.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/timer.h"
#include "render/gaussian/stage_times.h"

namespace tessera::models {

class StageClock {
 public:
  void begin();
  // The time since begin() or the last mark belongs to `stage`, a string that lives forever.
  void mark(std::string_view stage);
  // The same, but for what `timed` (a rasterizer or a half of one) timed itself; the rest belongs
  // to `stage`.
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
  void mark_inner(std::string_view stage);
  void add(std::string_view stage, double milliseconds);

  core::Timer timer_;
  double begin_ = 0;
  double last_ = 0;
  double total_milliseconds_ = 0;
  int64_t steps_ = 0;
  std::vector<render::StageTime> stages_;
  std::vector<render::StageTime> inner_;
};

}  // namespace tessera::models
