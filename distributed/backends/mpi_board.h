// Signals over MPI: small messages on a communicator of their own. To each rank at most one is
// under way; what it overtakes is left out, since only the newest counts.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "distributed/backends/mpi_engine.h"
#include "distributed/signal_board.h"

namespace tessera::distributed {

class MpiBoard : public SignalBoard {
 public:
  // All ranks make theirs together.
  explicit MpiBoard(MpiEngine& engine);

  void post(const Signal& signal) override;
  void read(std::span<Signal> newest) override;

 private:
  // As sent, between machines of one kind.
  struct Wire {
    uint64_t number = 0;
    double idle_s = 0;
    int32_t peer = 0;
    RankState state = RankState::kWorking;
    std::array<char, 999> text{};  // cut if longer; ends with a zero
  };
  struct Outgoing {
    Wire wire;
    MPI_Request request = MPI_REQUEST_NULL;
    bool overtaken = false;  // own_ is newer than what was sent
  };

  void send_what_is_new();
  void receive_all();

  MpiEngine& engine_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Wire own_;
  std::vector<Outgoing> outgoing_;  // [ranks]
  std::vector<Signal> newest_;      // [ranks]
};

}  // namespace tessera::distributed
