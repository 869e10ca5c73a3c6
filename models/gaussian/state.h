// The Gaussians of a run and all that belongs to each of them: what densification re-arranges and a
// checkpoint keeps.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"

namespace tessera::models {

struct GaussianState {
  core::GaussianCloud cloud;
  core::Planes first_moments, second_moments;  // Adam's, as the cloud's planes
  core::Planes statistics;                     // planes of the densifier

  int64_t size() const { return cloud.size(); }
};

// Places [begin, end) among so many.
struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// One of equal parts: that of `rank` among `ranks` ranks.
struct Share {
  int rank = 0;
  int ranks = 1;
};

constexpr IndexRange share_of(int64_t total, Share share) {
  return {total * share.rank / share.ranks, total * (share.rank + 1) / share.ranks};
}

// A Gaussian that is made of another one.
struct Child {
  int64_t parent = 0;  // its index
  uint64_t id = 0;
};

// A function of the parent's id, the step and the child's number, which no other Gaussian has (but
// for a hash's chance of n^2 / 2^64); the top bit is set, so ids of start clouds never meet it.
uint64_t child_id(uint64_t parent_id, int64_t step, uint64_t child_number);

// The state becomes the old Gaussians `kept` (ascending indices) followed by copies for `children`,
// whose moments are zero. All statistics become zero.
void rebuild(GaussianState& state, const std::vector<int64_t>& kept,
             const std::vector<Child>& children, core::ThreadPool& pool);

// The state becomes the Gaussians `kept` (ascending indices), with all that belongs to them.
void keep(GaussianState& state, const std::vector<int64_t>& kept, core::ThreadPool& pool);

// Removes Gaussians of which any parameter is not finite. Returns how many there were.
int64_t drop_non_finite(GaussianState& state, core::ThreadPool& pool);

}  // namespace tessera::models
