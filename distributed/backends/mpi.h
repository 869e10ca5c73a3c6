// Ranks as processes that an MPI launcher started, on one machine or many; any MPI library that
// speaks the standard's version 3.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "distributed/communicator.h"

namespace tessera::distributed {

// Whether mpirun, mpiexec or srun started this process as one of its ranks. It looks at the
// environment only.
bool started_by_mpi();

// Runs body with the communicator of all processes; once in a process. If body throws on any rank,
// all are stopped, and what it threw is thrown here; a process that then ends with an exit code
// other than 0 makes the launcher end the ranks that did not follow (srun with
// --kill-on-bad-exit). Throws core::Error where Tessera was built without MPI.
void run_in_mpi(const std::function<void(Communicator&)>& body);

}  // namespace tessera::distributed
