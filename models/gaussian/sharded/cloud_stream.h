// The Gaussians of all ranks, piece by piece through the first one, which never holds them all.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "core/gaussian_cloud.h"
#include "distributed/communicator.h"

namespace tessera::models {

inline constexpr int64_t kStreamedGaussians = 65536;  // of another rank in one piece

// Collective: calls `take` on the first rank, for its own Gaussians and then for pieces of those of
// the others, in the order of ranks.
void stream_cloud(distributed::Communicator& ranks, const core::GaussianCloud& own,
                  const std::function<void(const core::GaussianCloud&)>& take);

}  // namespace tessera::models
