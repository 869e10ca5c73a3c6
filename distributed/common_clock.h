// How the clocks of ranks relate: monotonic clocks of two machines began at different times.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "distributed/communicator.h"

namespace tessera::distributed {

struct ClockOffset {
  std::chrono::nanoseconds to_first{0};  // what is added to this rank's steady clock for rank 0's
  std::chrono::nanoseconds error{0};     // it is right within that
};

// Collective. Each rank asks rank 0 for the time some times; the answer of the quickest is taken to
// be from the middle of its round trip (Cristian, "Probabilistic Clock Synchronization", 1989).
ClockOffset clock_offset(Communicator& ranks);

}  // namespace tessera::distributed
