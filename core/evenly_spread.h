// A few of many, evenly spread by place, where all would be too much.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::core {

// At most `count` of `all`, in their order.
template <class T>
std::vector<T> evenly_spread(const std::vector<T>& all, int64_t count) {
  const auto size = static_cast<int64_t>(all.size());
  count = std::min(count, size);
  std::vector<T> chosen;
  chosen.reserve(count);
  for (int64_t i = 0; i < count; ++i) chosen.push_back(all[i * size / count]);
  return chosen;
}

}  // namespace tessera::core
