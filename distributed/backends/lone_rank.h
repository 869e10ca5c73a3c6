// A rank that is alone: the communicator of every job that runs without others.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "distributed/communicator.h"

namespace tessera::distributed {

std::unique_ptr<Communicator> lone_rank();

}  // namespace tessera::distributed
