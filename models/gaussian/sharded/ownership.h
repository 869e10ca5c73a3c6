// Which rank owns which Gaussian: space is cut into boxes, one for each rank, so that what a view
// sees has few owners.
//
// The cuts follow from whole numbers that all ranks add up, so all agree without a message more.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/gaussian_cloud.h"
#include "distributed/communicator.h"
#include "distributed/point_partition.h"
#include "models/gaussian/sharded/space_grid.h"
#include "models/gaussian/state.h"

namespace tessera::models {

class Ownership {
 public:
  // Collective: space cut into boxes of nearly equal costs, one for each of `owners`. Each rank
  // gives its own Gaussians and what each of them costs.
  Ownership(distributed::Communicator& ranks, const SpaceGrid& grid,
            const core::GaussianCloud& cloud, std::span<const int64_t> costs, int owners);

  int owner(const core::GaussianCloud& cloud, int64_t gaussian) const {
    return boxes_.part(grid_.point(cloud, gaussian));
  }

 private:
  SpaceGrid grid_;
  distributed::PointPartition boxes_;
};

// Collective: every Gaussian with its moments and statistics to its owner. Those that stay keep
// their order and come first, then those of the other ranks in the order of ranks. Returns how many
// this rank sent.
int64_t move_to_owners(distributed::Communicator& ranks, const Ownership& ownership,
                       GaussianState& state);

// Collective: the largest share of the costs that a rank has, times the number of ranks: 1 if all
// have as much.
double imbalance(distributed::Communicator& ranks, int64_t own);

}  // namespace tessera::models
