// Exact nearest neighbors of points in space, by a balanced k-d tree without pointers.
//
// Captured points cluster on surfaces and leave most of space empty, which a tree follows and a
// grid does not. Median splits keep it balanced even if many points coincide.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/math/vec.h"
#include "core/thread_pool.h"

namespace tessera::core {

inline constexpr int kMostNeighbors = 16;

// For each point, the mean squared distance to its `neighbors` (at most kMostNeighbors) nearest
// others; to fewer where there are fewer, and 0 for a single point. Points must be finite.
std::vector<float> mean_squared_neighbor_distance(std::span<const math::Vec3<float>> points,
                                                  int neighbors, ThreadPool& pool);

}  // namespace tessera::core
