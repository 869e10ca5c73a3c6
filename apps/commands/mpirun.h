// Ranks as processes of this program on this machine, started by mpirun.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "apps/commands/interrupt.h"

namespace tessera::apps {

// Whether there is a program of that name.
bool has_mpirun();

// Has mpirun run this program again, with these arguments, on each rank, and returns the exit code.
// Throws core::Error if mpirun does not start or is killed, or a rank is killed.
int run_mpirun(int ranks, const std::vector<std::string>& arguments,
               const InterruptGuard& interrupt);

// Whether this process is a rank that run_mpirun() started.
bool started_by_run_mpirun();

// Whether standard output is a terminal at which a user sits. MPI's launchers give their processes
// terminals of their own, behind which there may be a file.
bool writes_to_terminal();

}  // namespace tessera::apps
