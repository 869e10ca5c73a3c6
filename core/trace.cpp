// SPDX-License-Identifier: MIT
#include "core/trace.h"

namespace tessera::core {

void Trace::begin_step(int64_t step) {
  step_ = step;
  recording_ = step >= first_ && step <= last_ && cut_at_ == 0;
  if (!recording_ || events_.size() < most_events_) return;
  recording_ = false;
  cut_at_ = step;
}

}  // namespace tessera::core
