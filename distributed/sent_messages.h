// What a collective sends, for those who foresee a run's messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::distributed {

struct SentMessages {
  int64_t bytes = 0;
  int64_t messages = 0;
};

}  // namespace tessera::distributed
