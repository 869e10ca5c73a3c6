// What a run's record says of where it ran, and the memory that it may use.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace tessera::apps {

struct Machine {
  std::string processor;  // "Intel(R) Xeon(R) ..."
  std::string system;     // "Debian GNU/Linux 12 (bookworm)"
  int cores = 0;          // granted to this process
  uint64_t memory_bytes = 0;
};
Machine this_machine();

// Largest resident set so far.
uint64_t peak_memory_bytes();
// Resident now.
uint64_t resident_memory_bytes();
// What could still be taken without swapping, control groups' limits respected.
uint64_t available_memory_bytes();
// What a limit on this process's addresses (ulimit -v) leaves; UINT64_MAX where there is none.
uint64_t address_space_left_bytes();

// Seconds of processor time, user and system, of this process and its ended children.
double processor_seconds();

// Now, in UTC: "2025-01-31T12:00:00Z".
std::string utc_time_text();

}  // namespace tessera::apps
