// What Communicator::all_reduce sends, for those who foresee a run's messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::distributed {

struct SentMessages {
  int64_t bytes = 0;
  int64_t messages = 0;
};

// By that rank of `ranks`, for so many values of so many bytes each.
SentMessages sent_by_all_reduce(int rank, int ranks, size_t values, size_t value_bytes);

}  // namespace tessera::distributed
