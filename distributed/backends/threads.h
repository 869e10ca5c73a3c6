// Ranks as threads of one process, with the semantics of processes: nothing is shared but messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "distributed/communicator.h"

namespace tessera::distributed {

// Runs body once per rank, each in a thread of its own (rank 0 in the caller's), and returns when
// all have ended. If bodies throw, all ranks are stopped and the exception of the rank that failed
// first is thrown here, not the RankFailed that it caused elsewhere. Throws core::Error for a size
// below 1.
void run_in_threads(int size, const std::function<void(Communicator&)>& body);

}  // namespace tessera::distributed
