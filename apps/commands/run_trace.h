// --trace: what each rank of a run did when, as a file in Chrome's trace format, which
// chrome://tracing and ui.perfetto.dev open.
//
// A process of the file is a rank, its rows are those of core::Trace. All times are by rank 0's
// clock, from when the trace was begun.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "core/trace.h"
#include "distributed/common_clock.h"
#include "distributed/communicator.h"

namespace tessera::apps {

// Steps by their numbers, both included: "500:700", "500:" or ":700".
struct StepRange {
  int64_t first = 0;
  int64_t last = INT64_MAX;
};

// Throws std::invalid_argument with what is due instead.
StepRange parse_step_range(const std::string& text);
std::string step_range_text(const StepRange& range);  // "" for all steps

class RunTrace {
 public:
  static constexpr size_t kMostEvents = 100'000;  // of a rank

  // Collective. `ranks` are traced while it lives, and must outlive it.
  RunTrace(distributed::Communicator& ranks, const StepRange& steps);
  ~RunTrace();
  RunTrace(const RunTrace&) = delete;
  RunTrace& operator=(const RunTrace&) = delete;

  core::Trace& events() { return events_; }

  // Collective: rank 0 writes those of all ranks, one after the other. Returns the first step that
  // some rank did not record since its events were too many; 0 if there is none.
  int64_t write(const std::filesystem::path& path) const;

 private:
  std::string text() const;

  distributed::Communicator& ranks_;
  core::Trace events_;
  distributed::ClockOffset clock_;
  core::Trace::Clock::time_point begin_;  // by rank 0's clock
};

}  // namespace tessera::apps
