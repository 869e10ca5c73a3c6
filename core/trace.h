// What was done when, as intervals on the rows of a time line: recorded while a run goes, looked at
// afterwards.
//
// Recorded step by step, by one thread. Memory is bounded: once the events are as many as allowed,
// no further step is recorded.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::core {

// Of messages, and of waiting for them.
struct TracedBytes {
  int64_t sent = 0;
  int64_t received = 0;
};

class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  // Intervals of one row do not overlap, but for those of messages.
  enum class Row : uint8_t {
    kRun,       // steps, and what is done between them
    kStages,    // of the steps
    kWaiting,   // for messages
    kMessages,  // under way
  };

  struct Event {
    Row row = Row::kRun;
    std::string_view name;
    Clock::time_point begin, end;
    int64_t step = 0;
    TracedBytes bytes;
  };

  // Records steps `first` to `last`, both included, and what follows each.
  Trace(int64_t first, int64_t last, size_t most_events)
      : first_(first), last_(last), most_events_(most_events) {}

  // Steps are numbered upwards. Nothing is recorded before the first.
  void begin_step(int64_t step);

  // `name` must live as long as the trace.
  void add(Row row, std::string_view name, Clock::time_point begin, Clock::time_point end,
           const TracedBytes& bytes = {}) {
    if (recording_) events_.push_back({row, name, begin, end, step_, bytes});
  }

  const std::vector<Event>& events() const { return events_; }
  // The first step that was not recorded since the events were too many; 0: there was none.
  int64_t cut_at() const { return cut_at_; }

 private:
  int64_t first_, last_;
  size_t most_events_;
  bool recording_ = false;
  int64_t step_ = 0;
  int64_t cut_at_ = 0;
  std::vector<Event> events_;
};

// Its life is an interval between steps; without a trace it is nothing.
class TraceSpan {
 public:
  TraceSpan(Trace* trace, std::string_view name) : trace_(trace), name_(name) {
    if (trace_ != nullptr) begin_ = Trace::Clock::now();
  }
  ~TraceSpan() {
    if (trace_ != nullptr) trace_->add(Trace::Row::kRun, name_, begin_, Trace::Clock::now());
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  Trace* trace_;
  std::string_view name_;
  Trace::Clock::time_point begin_;
};

}  // namespace tessera::core
