// What Communicator::all_reduce sends.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "distributed/sent_messages.h"

namespace tessera::distributed {

// By that rank of `ranks`, for so many values of so many bytes each, whole numbers or not.
SentMessages sent_by_all_reduce(int rank, int ranks, size_t values, size_t value_bytes,
                                bool whole_numbers);

}  // namespace tessera::distributed
