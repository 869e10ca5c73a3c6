// SPDX-License-Identifier: MIT
#include <array>

#include "core/table_entry.h"
#include "models/multiplane/planner.h"

namespace tessera::models {
namespace {

constexpr std::array<PlannerEntry, 5> kPlanners = {{{"adaptive", false, plan_adaptive},
                                                    {"tiled", false, plan_tiled},
                                                    {"kmeans", true, plan_kmeans},
                                                    {"uniform", true, plan_uniform},
                                                    {"bins", true, plan_bins}}};

}  // namespace

std::span<const PlannerEntry> planners() {
  return kPlanners;
}

const PlannerEntry& find_planner(std::string_view name) {
  return core::entry_named(planners(), name, "planner");
}

}  // namespace tessera::models
