// SPDX-License-Identifier: MIT
#include "apps/commands/interrupt.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

#include "distributed/backends/mpi.h"

namespace tessera::apps {
namespace {

// A signal handler can reach nothing but a global of this type.
volatile std::sig_atomic_t requests = 0;

// Whether a launcher started this process, which then speaks for it.
bool is_rank = false;

const char* answer = "";

void on_signal(int signal) {
  requests = requests + 1;
  if (signal == SIGUSR1 || is_rank) return;
  if (requests > 1) _exit(130);
  const iovec parts[] = {{const_cast<char*>("\n"), 1},
                         {const_cast<char*>(answer), std::strlen(answer)},
                         {const_cast<char*>("\n"), 1}};
  // Nothing can be done about a terminal that is gone.
  [[maybe_unused]] const ssize_t written = writev(STDERR_FILENO, parts, std::size(parts));
}

}  // namespace

InterruptGuard::InterruptGuard(const char* sentence) {
  requests = 0;
  answer = sentence;
  is_rank = distributed::started_by_mpi();
  if (is_rank) stop_file_ = std::getenv(kStopFileVariable);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
  sigaction(SIGUSR1, &action, &old_user_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  sigaction(SIGUSR1, &old_user_, nullptr);
}

bool InterruptGuard::requested() const {
  if (requests > 0) return true;
  return stop_file_ != nullptr && access(stop_file_, F_OK) == 0;
}

}  // namespace tessera::apps
