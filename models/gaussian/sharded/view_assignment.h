// Which rank draws which whole view of a step: so that few splats cross between ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tessera::models {

// The rank of each view: visible[view][rank] counts splats that need not move if that rank draws
// that view, and their sum is the largest there is with views / ranks views, rounded down or up, a
// rank. The same wherever it is called with the same numbers; where all are equal, view k goes to
// rank k modulo `ranks`.
std::vector<int> assign_views(std::span<const std::vector<int64_t>> visible, int ranks);

}  // namespace tessera::models
