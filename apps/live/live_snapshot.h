// The Gaussians of all ranks as they are now, for those who watch.
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/live/live_protocol.h"
#include "core/gaussian_cloud.h"
#include "distributed/communicator.h"

namespace tessera::apps {

// Collective. On the first rank `snapshot` gets what all ranks own, in their order, with color of
// at most that degree: its planes, owners and the counts and degree in its header.
void gather_snapshot(distributed::Communicator& ranks, const core::GaussianCloud& own,
                     int sh_degree, LiveSnapshot& snapshot);

}  // namespace tessera::apps
