// What a run will need on each rank, said before its first step, and refused if it cannot be had.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::apps {

struct MemoryNeed {
  int64_t decoded_photo_bytes =
      0;                          // all photos decoded, as a rank comes to have them that draws all
  int64_t least_photo_bytes = 0;  // the fewest that work
  int64_t pixels = 0;             // of the largest photo
  int64_t start_gaussians = 0;    // these and the cap: of all ranks
  int64_t max_gaussians = 0;      // 0: no cap
  bool grows = true;              // beyond the start
  int ranks = 1;                  // that share the Gaussians
  int views_at_once = 1;          // whose projected Gaussians are kept: on ranks, a step's
  int sh_degree = 3;
  int resolution = 1;    // as -r gives it
  bool resumed = false;  // photos' size and the cap are settled
};

struct MemoryPlan {
  int64_t photo_bytes = 0;    // budget for decoded photos
  int64_t max_gaussians = 0;  // the cap asked for, or what the budget has room for; 0: no cap
  uint64_t planned_bytes = 0;
  // What would keep all photos decoded, "--max-memory 318MB would keep all"; empty if this plan
  // may.
  std::string to_keep_all;
  // "1.2 GB of memory (program and pictures 200 MB, photos 300 MB, ...)": the sum, of a rank
  std::string text;
};

// What a rank may take.
struct MemoryLimits {
  uint64_t budget_bytes = 0;            // that --max-memory gives; 0: none
  uint64_t machine_bytes = 0;           // its part of what is free on the machine
  uint64_t process_bytes = UINT64_MAX;  // its part of what a limit on its process leaves
};

enum class MemoryBound { kBudget, kMachine, kProcess };

// The tightest of the limits.
struct MemoryRoom {
  int64_t bytes = 0;
  MemoryBound bound = MemoryBound::kMachine;
  std::string text;  // "800 MB are free"
};
MemoryRoom room_within(const MemoryLimits& limits);

// "-r 2 or --ranks 4 would fit"; without choices, what can be done about the bound.
std::string memory_advice(std::vector<std::string> choices, int64_t needed, MemoryBound bound);

inline constexpr int64_t kProgramBytes = 30'000'000;  // the program, its libraries, threads' stacks

// A budget is kept: without a cap on Gaussians it becomes one. Other limits must hold the start but
// do not cap growth. Throws core::Error in one sentence saying what would fit if it does not.
MemoryPlan plan_memory(const MemoryNeed& need, const MemoryLimits& limits);

// Parameters, gradients and two moments with the spare room of growing arrays, the copy while they
// grow or are saved, statistics, and what a render keeps: 1.86 kB at degree 3, as measured on the
// banana capture (162 MB for 88,000).
int64_t bytes_per_gaussian(int sh_degree, int views_at_once = 1);

}  // namespace tessera::apps
