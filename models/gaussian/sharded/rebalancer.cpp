// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/rebalancer.h"

#include "models/gaussian/sharded/ownership.h"

namespace tessera::models {
namespace {

constexpr double kMaxImbalance = 1.2;  // of the ranks' costs; above it space is cut anew

}  // namespace

void Rebalancer::collect(const core::GaussianCloud& cloud, std::span<const float> radii) {
  if (ranks_.size() > 1) costs_.collect(grid_, cloud, radii);
}

void Rebalancer::cut(GaussianState& state) {
  if (ranks_.size() == 1) return;
  const Ownership ownership(ranks_, grid_, state.cloud, costs_.of_gaussians(grid_, state.cloud),
                            ranks_.size());
  move_to_owners(ranks_, ownership, state);
  costs_.clear();
}

void Rebalancer::cut_if_needed(GaussianState& state) {
  if (imbalance(ranks_, costs_.total(state.size())) > kMaxImbalance) cut(state);
}

}  // namespace tessera::models
