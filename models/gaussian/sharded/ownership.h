// Which rank owns which Gaussian: space is cut into boxes, one for each rank, so that what a view
// sees has few owners.
//
// The cuts follow from whole numbers that all ranks add up, so all agree without a message more.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/gaussian_cloud.h"
#include "distributed/communicator.h"
#include "models/gaussian/sharded/space_grid.h"
#include "models/gaussian/state.h"

namespace tessera::models {

class Ownership {
 public:
  // Cuts of nearly equal costs, by cell, into as many boxes.
  Ownership(std::span<const int64_t> costs, int ranks);
  // Collective: cuts of nearly equal costs; each rank gives those of its own Gaussians, by cell.
  Ownership(distributed::Communicator& ranks, std::vector<int64_t> costs);

  int owner(int64_t cell) const { return owners_[cell]; }

 private:
  std::vector<uint16_t> owners_;  // per cell
};

// Collective: every Gaussian with its moments and statistics to its owner. Those that stay keep
// their order and come first, then those of the other ranks in the order of ranks. Returns how many
// this rank sent.
int64_t move_to_owners(distributed::Communicator& ranks, const Ownership& ownership,
                       const SpaceGrid& grid, GaussianState& state);

// Collective: the largest share of the costs that a rank has, times the number of ranks: 1 if all
// have as much.
double imbalance(distributed::Communicator& ranks, int64_t own);

}  // namespace tessera::models
