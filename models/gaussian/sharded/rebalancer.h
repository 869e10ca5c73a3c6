// Keeps what ranks own local and nearly equal in cost, from the first step to the last.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/gaussian_cloud.h"
#include "distributed/communicator.h"
#include "models/gaussian/sharded/ownership_costs.h"
#include "models/gaussian/sharded/space_grid.h"
#include "models/gaussian/state.h"

namespace tessera::models {

class Rebalancer {
 public:
  // `ranks` must outlive it.
  Rebalancer(distributed::Communicator& ranks, const SpaceGrid& grid)
      : ranks_(ranks), grid_(grid) {}

  // What a view showed of the Gaussians owned here.
  void collect(const core::GaussianCloud& cloud, std::span<const float> radii);

  // Collective: cuts space anew and moves those that change their owner.
  void cut(GaussianState& state);
  // Collective: the same once the ranks' costs differ too much. Cutting at each chance would move
  // many Gaussians for little.
  void cut_if_needed(GaussianState& state);

 private:
  distributed::Communicator& ranks_;
  const SpaceGrid grid_;
  OwnershipCosts costs_;
};

}  // namespace tessera::models
