// What owning Gaussians costs, in whole numbers that ranks can add up: measured by how often views
// showed what lies in each cell of space, since Gaussians come and go between two cuts.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/gaussian_cloud.h"
#include "models/gaussian/sharded/space_grid.h"

namespace tessera::models {

// Each Gaussian costs 1 for each view since the last cut, since all are projected and updated, and
// 1 more where the view showed it, for its splat and gradient. So no rank owns more than twice its
// share of the Gaussians, whatever views show.
class OwnershipCosts {
 public:
  OwnershipCosts() : shown_(SpaceGrid::kSize, 0) {}

  // A view of the Gaussians owned here; radii[i] > 0 where it showed them.
  void collect(const SpaceGrid& grid, const core::GaussianCloud& cloud,
               std::span<const float> radii);
  // Forgets the views.
  void clear();

  // Of each Gaussian owned here: those of a cell share what views showed of it.
  std::vector<int64_t> of_gaussians(const SpaceGrid& grid, const core::GaussianCloud& cloud) const;
  // Of all of them.
  int64_t total(int64_t gaussians) const { return gaussians * each() + all_shown_; }

 private:
  int64_t each() const { return views_ > 0 ? views_ : 1; }

  int64_t views_ = 0;
  int64_t all_shown_ = 0;
  std::vector<int64_t> shown_;  // per cell
};

}  // namespace tessera::models
