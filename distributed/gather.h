// Lists of values that each rank has some of.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "distributed/communicator.h"

namespace tessera::distributed {

// Collective: the values of all ranks, in the order of ranks, on each of them.
template <class T>
std::vector<T> gather_lists(Communicator& ranks, std::string_view tag, std::span<const T> own) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<int64_t> counts = ranks.all_gather(tag, static_cast<int64_t>(own.size()));
  std::vector<T> all(
      static_cast<size_t>(std::accumulate(counts.begin(), counts.end(), int64_t{0})));
  std::vector<std::span<std::byte>> receives;
  size_t at = 0;
  for (const int64_t count : counts) {
    receives.push_back(
        std::as_writable_bytes(std::span(all).subspan(at, static_cast<size_t>(count))));
    at += static_cast<size_t>(count);
  }
  ranks.all_gather_v(tag, std::as_bytes(own), receives).wait();
  return all;
}

}  // namespace tessera::distributed
