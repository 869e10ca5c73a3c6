// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "distributed/backends/mpi.h"

namespace tessera::distributed {

bool started_by_mpi() {
  // Open MPI; MPICH, Intel MPI and others that speak PMI; PMIx.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  // Slurm sets this in a shell of one task, too.
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr && std::atoi(tasks) > 1;
}

}  // namespace tessera::distributed
