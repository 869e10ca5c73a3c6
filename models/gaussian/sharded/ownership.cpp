// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/ownership.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "distributed/array_bytes.h"

namespace tessera::models {
namespace {

// Which Gaussians stay and which go where, and how many come from where.
struct Moves {
  std::vector<int64_t> staying;
  std::vector<std::vector<int64_t>> leaving;  // by rank
  std::vector<int64_t> coming;                // by rank
  int64_t size = 0;                           // those that stay and those that come
};

// Collective: `to` becomes what `from` has of those that stay, then what comes from each rank.
template <class T>
void move_values(distributed::Communicator& ranks, const Moves& moves, const T* from, T* to) {
  const int size = ranks.size();
  std::vector<core::Array<T>> sent(size), received(size);
  for (int r = 0; r < size; ++r) {
    for (const int64_t i : moves.leaving[r]) sent[r].push_back(from[i]);
    received[r].resize(moves.coming[r]);
  }
  ranks.all_to_all_v("moved Gaussians", distributed::bytes_of(sent), distributed::room_of(received))
      .wait();
  for (const int64_t i : moves.staying) *to++ = from[i];
  for (const core::Array<T>& values : received) to = std::copy(values.begin(), values.end(), to);
}

void move_planes(distributed::Communicator& ranks, const Moves& moves, core::Planes& planes) {
  core::Planes moved(planes.plane_count(), moves.size);
  for (int p = 0; p < planes.plane_count(); ++p) {
    move_values(ranks, moves, planes.plane(p), moved.plane(p));
  }
  std::swap(planes, moved);
}

std::vector<distributed::LatticePoint> points_of(const SpaceGrid& grid,
                                                 const core::GaussianCloud& cloud) {
  std::vector<distributed::LatticePoint> points(cloud.size());
  for (int64_t i = 0; i < cloud.size(); ++i) points[i] = grid.point(cloud, i);
  return points;
}

}  // namespace

Ownership::Ownership(distributed::Communicator& ranks, const SpaceGrid& grid,
                     const core::GaussianCloud& cloud, std::span<const int64_t> costs, int owners)
    : grid_(grid), boxes_(ranks, "ownership", points_of(grid, cloud), costs, owners) {}

// Plane by plane: all of a Gaussian at once would take the room of those that move twice more.
int64_t move_to_owners(distributed::Communicator& ranks, const Ownership& ownership,
                       GaussianState& state) {
  const int self = ranks.rank(), size = ranks.size();
  Moves moves;
  moves.leaving.resize(size);
  for (int64_t i = 0; i < state.size(); ++i) {
    const int owner = ownership.owner(state.cloud, i);
    (owner == self ? moves.staying : moves.leaving[owner]).push_back(i);
  }
  std::vector<int64_t> counts;
  for (const std::vector<int64_t>& leaving : moves.leaving) {
    counts.push_back(static_cast<int64_t>(leaving.size()));
  }
  moves.coming = ranks.exchange_counts("moved Gaussians", counts);
  moves.size = std::accumulate(moves.coming.begin(), moves.coming.end(),
                               static_cast<int64_t>(moves.staying.size()));
  core::Array<uint64_t> ids(moves.size);
  move_values(ranks, moves, state.cloud.ids.data(), ids.data());
  std::swap(state.cloud.ids, ids);
  for (core::Planes* planes :
       {&state.cloud.parameters, &state.first_moments, &state.second_moments, &state.statistics}) {
    move_planes(ranks, moves, *planes);
  }
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

double imbalance(distributed::Communicator& ranks, int64_t own) {
  const std::vector<int64_t> costs = ranks.all_gather("imbalance", own);
  const int64_t total = std::accumulate(costs.begin(), costs.end(), int64_t{0});
  if (total == 0) return 1;
  const int64_t most = *std::max_element(costs.begin(), costs.end());
  return static_cast<double>(most) * ranks.size() / static_cast<double>(total);
}

}  // namespace tessera::models
