// Gaussians in shares of ranks, and all ranks' in one cloud.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "distributed/communicator.h"
#include "models/gaussian/sharded/cloud_stream.h"
#include "models/gaussian/state.h"
#include "tests/models/made_gaussians.h"

namespace tessera::models {

inline Share share_of_rank(const distributed::Communicator& ranks) {
  return {ranks.rank(), ranks.size()};
}

// Of Gaussians that all ranks have alike, each keeps an equal part, by their places in memory.
inline void keep_share(GaussianState& state, const distributed::Communicator& ranks,
                       core::ThreadPool& pool) {
  const IndexRange share = share_of(state.size(), share_of_rank(ranks));
  std::vector<int64_t> kept(share.end - share.begin);
  std::iota(kept.begin(), kept.end(), share.begin);
  keep(state, kept, pool);
}

// This rank's part of a cloud that all ranks have alike.
inline core::GaussianCloud own_share(core::GaussianCloud cloud,
                                     const distributed::Communicator& ranks,
                                     core::ThreadPool& pool) {
  GaussianState state = state_of(std::move(cloud));
  keep_share(state, ranks, pool);
  return std::move(state.cloud);
}

// Adds the Gaussians of `piece` after those of `cloud`.
inline void append(core::GaussianCloud& cloud, const core::GaussianCloud& piece) {
  const int64_t before = cloud.size();
  cloud.parameters.resize(before + piece.size());
  cloud.ids.resize(before + piece.size());
  std::copy_n(piece.ids.begin(), piece.size(), cloud.ids.begin() + before);
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    std::copy_n(piece.plane(p), piece.size(), cloud.plane(p) + before);
  }
}

// Collective: the cloud of all ranks, by rank, on the first one; nothing on the others.
inline core::GaussianCloud gathered(distributed::Communicator& ranks,
                                    const core::GaussianCloud& own) {
  core::GaussianCloud cloud(own.sh_degree, 0);
  stream_cloud(ranks, own, [&](const core::GaussianCloud& piece) { append(cloud, piece); });
  return cloud;
}

}  // namespace tessera::models
