// SPDX-License-Identifier: MIT
#include "models/windows/drawn_windows.h"

#include <algorithm>

namespace tessera::models {

std::span<const DrawnWindow> windows_of(const Round& round, int rank) {
  const auto begin = std::partition_point(round.begin(), round.end(),
                                          [&](const DrawnWindow& d) { return d.rank < rank; });
  const auto end = std::partition_point(begin, round.end(),
                                        [&](const DrawnWindow& d) { return d.rank == rank; });
  return {begin, end};
}

}  // namespace tessera::models
