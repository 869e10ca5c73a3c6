// Few bytes of each rank to all ranks, in log2 G messages of a rank instead of G - 1.
//
// Bruck et al., "Efficient Algorithms for All-to-All Communications in Multiport Message-Passing
// Systems", 1997: ranks pass on what they have, which doubles from message to message; as many
// bytes are sent as if each rank sent to each.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "distributed/communicator.h"
#include "distributed/sent_messages.h"

namespace tessera::distributed {

// Collective. `all`: what the ranks have, in the order of ranks, sizes[r] bytes of rank r. What
// this rank has is there; what the others have comes.
void all_gather_few(Communicator& ranks, std::string_view tag, std::span<const size_t> sizes,
                    std::span<std::byte> all);

// By that rank.
SentMessages sent_by_all_gather_few(int rank, std::span<const size_t> sizes);

}  // namespace tessera::distributed
