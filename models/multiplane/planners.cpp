// SPDX-License-Identifier: MIT
#include <array>

#include "core/error.h"
#include "models/multiplane/planner.h"

namespace tessera::models {
namespace {

constexpr std::array<PlannerEntry, 5> kPlanners = {{{"adaptive", plan_adaptive},
                                                    {"tiled", plan_tiled},
                                                    {"kmeans", plan_kmeans},
                                                    {"uniform", plan_uniform},
                                                    {"bins", plan_bins}}};

}  // namespace

std::span<const PlannerEntry> planners() {
  return kPlanners;
}

const PlannerEntry& find_planner(std::string_view name) {
  std::string names;
  for (const PlannerEntry& entry : kPlanners) {
    if (entry.name == name) return entry;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw core::Error("There is no planner '" + std::string(name) + "'; there are " + names + ".");
}

}  // namespace tessera::models
