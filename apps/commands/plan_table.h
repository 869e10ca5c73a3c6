// What `tessera plan` prints: a table of what a run costs on so many ranks, and what is assumed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "models/gaussian/sharded/rank_plan.h"

namespace tessera::apps {

struct PlanReport {
  models::PlanRequest request;
  models::RankPlan plan;
  std::string source;           // "15 photos of 500x332, 5,000 points"
  std::string command;          // that gives it again
  int64_t cloud_gaussians = 0;  // of the scene that was replayed
  int64_t gaussians = 0;        // of the run
  int64_t decoded_photo_bytes = 0;
};

std::string to_text(const PlanReport& report);
std::string to_json(const PlanReport& report);

}  // namespace tessera::apps
