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

std::vector<int64_t> OwnershipCosts::of_gaussians(const SpaceGrid& grid,
                                                  const core::GaussianCloud& cloud) const {
  std::vector<int64_t> sharing(SpaceGrid::kSize, 0);
  for (int64_t i = 0; i < cloud.size(); ++i) ++sharing[grid.cell(cloud, i)];
  std::vector<int64_t> shown = shown_;
  std::vector<int64_t> costs(cloud.size());
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const int64_t cell = grid.cell(cloud, i);
    const int64_t share = shown[cell] / sharing[cell]--;
    shown[cell] -= share;
    costs[i] = each() + share;
  }
  return costs;
}

}  // namespace tessera::models
