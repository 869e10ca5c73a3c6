// SPDX-License-Identifier: MIT
#include "distributed/backends/mpi_board.h"

#include <algorithm>

namespace tessera::distributed {

MpiBoard::MpiBoard(MpiEngine& engine)
    : engine_(engine), outgoing_(engine.size()), newest_(engine.size()) {
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &comm_), "make a communicator");
}

void MpiBoard::post(const Signal& signal) {
  const std::lock_guard lock(engine_.mutex());
  newest_[engine_.rank()] = signal;
  own_ = {signal.number, signal.idle_s, signal.peer, signal.state, {}};
  std::copy_n(signal.text.begin(), std::min(signal.text.size(), own_.text.size() - 1),
              own_.text.begin());
  for (Outgoing& outgoing : outgoing_) outgoing.overtaken = true;
  send_what_is_new();
}

void MpiBoard::read(std::span<Signal> newest) {
  const std::lock_guard lock(engine_.mutex());
  send_what_is_new();
  receive_all();
  for (size_t r = 0; r < newest.size(); ++r) {
    if (newest[r].number != newest_[r].number) newest[r] = newest_[r];
  }
}

// Errors are not looked at: a signal may be lost, and the rank's own messages meet the same error.
void MpiBoard::send_what_is_new() {
  for (int r = 0; r < engine_.size(); ++r) {
    Outgoing& outgoing = outgoing_[r];
    if (!outgoing.overtaken || r == engine_.rank()) continue;
    int sent = 0;
    MPI_Test(&outgoing.request, &sent, MPI_STATUS_IGNORE);
    if (sent == 0) continue;
    outgoing.wire = own_;
    outgoing.overtaken = false;
    MPI_Isend(&outgoing.wire, sizeof(Wire), MPI_BYTE, r, 0, comm_, &outgoing.request);
  }
}

void MpiBoard::receive_all() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_, &found, &status), "look for signals");
    if (found == 0) return;
    Wire wire;
    check_mpi(
        MPI_Recv(&wire, sizeof(Wire), MPI_BYTE, status.MPI_SOURCE, 0, comm_, MPI_STATUS_IGNORE),
        "receive a signal");
    newest_[status.MPI_SOURCE] = {wire.number, wire.state, wire.peer, wire.idle_s,
                                  wire.text.data()};
  }
}

}  // namespace tessera::distributed
