// In place of mpi.cpp where no MPI library was found.
// SPDX-License-Identifier: MIT
#include "core/error.h"
#include "distributed/backends/mpi.h"

namespace tessera::distributed {

void run_in_mpi(const std::function<void(Communicator&)>&) {
  throw core::Error(
      "this Tessera was built without MPI, so it cannot be one of several processes; install an "
      "MPI library (tools/setup.sh --mpi) and build again");
}

}  // namespace tessera::distributed
