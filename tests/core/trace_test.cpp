// SPDX-License-Identifier: MIT
#include "core/trace.h"

#include <gtest/gtest.h>

namespace tessera::core {
namespace {

// Steps of two events each, the second a message.
void record(Trace& trace, int64_t first, int64_t last) {
  for (int64_t step = first; step <= last; ++step) {
    trace.begin_step(step);
    const Trace::Clock::time_point now = Trace::Clock::now();
    trace.add(Trace::Row::kStages, "stage", now, now);
    trace.add(Trace::Row::kMessages, "tag", now, now, {3, 4});
  }
}

TEST(Trace, RecordsTheStepsThatWereAskedFor) {
  Trace trace(5, 7, 1000);
  trace.add(Trace::Row::kWaiting, "before the first step", {}, {});
  record(trace, 1, 10);
  ASSERT_EQ(trace.events().size(), 6U);
  EXPECT_EQ(trace.events().front().step, 5);
  EXPECT_EQ(trace.events().back().step, 7);
  EXPECT_EQ(trace.events().back().name, "tag");
  EXPECT_EQ(trace.events().back().bytes.received, 4);
  EXPECT_EQ(trace.cut_at(), 0);
}

TEST(Trace, EndsBeforeTheStepForWhichThereIsNoRoom) {
  Trace trace(1, INT64_MAX, 5);
  record(trace, 1, 10);
  EXPECT_EQ(trace.events().size(), 6U);
  EXPECT_EQ(trace.cut_at(), 4);
}

TEST(Trace, SpansAreIntervalsBetweenSteps) {
  Trace trace(1, 10, 100);
  trace.begin_step(2);
  { const TraceSpan span(&trace, "saving"); }
  { const TraceSpan nothing(nullptr, "saving"); }
  ASSERT_EQ(trace.events().size(), 1U);
  EXPECT_EQ(trace.events()[0].name, "saving");
  EXPECT_EQ(trace.events()[0].step, 2);
  EXPECT_LE(trace.events()[0].begin, trace.events()[0].end);
}

}  // namespace
}  // namespace tessera::core
