// SPDX-License-Identifier: MIT
#include "distributed/transport.h"

#include <fmt/format.h>

#include "core/error.h"

namespace tessera::distributed {

void throw_size_mismatch(std::string_view tag, int from, int to, size_t sent, size_t expected) {
  throw core::Error(fmt::format("in '{}' rank {} sent {} bytes to rank {}, which expects {}", tag,
                                from, sent, to, expected));
}

}  // namespace tessera::distributed
