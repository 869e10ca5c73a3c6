// SPDX-License-Identifier: MIT
#include "distributed/common_clock.h"

#include <gtest/gtest.h>

#include "distributed/backends/threads.h"

namespace tessera::distributed {
namespace {

// Ranks of one machine have one clock, so what is found is the error, and it must be owned up to.
TEST(ClockOffset, IsNoneWithinItsErrorOnOneMachine) {
  for (const int size : {1, 2, 5}) {
    run_in_threads(size, [](Communicator& ranks) {
      const ClockOffset offset = clock_offset(ranks);
      EXPECT_LE(std::abs(offset.to_first.count()), offset.error.count());
      EXPECT_EQ(offset.error.count() > 0, ranks.rank() > 0);
    });
  }
}

}  // namespace
}  // namespace tessera::distributed
