// Ranks for a command: the launcher's that started this program, processes that it starts itself,
// or threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/commands/interrupt.h"
#include "distributed/communicator.h"

namespace tessera::apps {

struct RankPlace {
  distributed::Communicator& ranks;
  int threads = 1;     // that this rank may use, where it was not said
  int on_machine = 1;  // ranks on this machine, this one among them
  int in_process = 1;  // and of these in this process
  std::string text;    // "4 ranks as processes started by mpirun, 1 thread each"; empty for one
};

// Calls body once per rank; in every process that has one. `asked`: --ranks, 0 where it was not
// given. Started by mpirun or srun, the program joins their ranks, and `asked` must agree. Else
// `asked` ranks are started on this machine: by mpirun where this build has MPI and the program is
// there (the processes run `arguments` again), as threads otherwise.
// Returns the exit code; what was wrong is then told already. Throws what the only rank throws, and
// core::Interrupted after all ranks have ended their work.
int run_on_ranks(int asked, const std::vector<std::string>& arguments,
                 const InterruptGuard& interrupt,
                 const std::function<void(const RankPlace&)>& body);

// Collective. A launcher may be given another command line for each rank: throws core::UsageError
// unless all have this text of options.
void check_same_options(distributed::Communicator& ranks, const std::string& options);

}  // namespace tessera::apps
