// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/ownership_costs.h"

#include <algorithm>

namespace tessera::models {

void OwnershipCosts::collect(const SpaceGrid& grid, const core::GaussianCloud& cloud,
                             std::span<const float> radii) {
  ++views_;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    if (!(radii[i] > 0)) continue;
    ++shown_[grid.cell(cloud, i)];
    ++all_shown_;
  }
}

void OwnershipCosts::clear() {
  views_ = all_shown_ = 0;
  std::fill(shown_.begin(), shown_.end(), 0);
}

std::vector<int64_t> OwnershipCosts::of_cells(const SpaceGrid& grid,
                                              const core::GaussianCloud& cloud) const {
  std::vector<int64_t> costs = shown_;
  for (int64_t i = 0; i < cloud.size(); ++i) costs[grid.cell(cloud, i)] += each();
  return costs;
}

}  // namespace tessera::models
