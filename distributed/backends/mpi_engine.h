// Messages over MPI, under one lock: MPI need only be built for MPI_THREAD_SERIALIZED.
//
// Receives are not posted ahead. A message is looked for (MPI_Improbe) by the first receive in the
// order that they were started, so its size is known before a byte is written, and a receive that
// is withdrawn leaves nothing behind in MPI. Counts of MPI are int, so messages go in chunks; the
// first chunk that is not full is the last, which tells the size of any message.
// SPDX-License-Identifier: MIT
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::distributed {

// Throws core::Error, "MPI cannot <do>: <its words>", unless `code` is MPI_SUCCESS.
void check_mpi(int code, std::string_view to_do);

// One message of an exchange.
struct MpiMessage {
  int context = 0;
  int peer = 0;  // rank of the world
  bool sends = false;
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  size_t size = 0;

  // Of the engine.
  size_t arrived = 0;
  int open = 0;       // chunks that are not through
  int under_way = 0;  // those of them that MPI has in hand
  std::optional<size_t> mismatched_size;
};

class MpiEngine {
 public:
  MpiEngine();

  int rank() const { return rank_; }
  int size() const { return size_; }
  std::mutex& mutex() { return mutex_; }  // around every call of MPI

  // The messages must stay where they are until all are through or withdrawn.
  void start(std::vector<MpiMessage>& messages);
  // Moves whatever can be moved, these messages or others.
  void progress();
  // Returns when MPI has none of them in hand, or after a grace. Then MPI
  // may still read or write their buffers: the run is over.
  void withdraw(std::vector<MpiMessage>& messages);

 private:
  void start_send(MpiMessage& message);
  void look_for_messages();
  bool take_chunk(MpiMessage& message);
  void end_requests();
  void add_request(MPI_Request request, MpiMessage* message);
  void forget_receives(std::vector<MpiMessage>& messages);

  std::mutex mutex_;
  MPI_Comm messages_comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 0;
  using Key = std::pair<int, int>;  // context, rank that sends
  std::map<Key, std::deque<MpiMessage*>> awaited_;
  std::vector<MPI_Request> requests_;
  std::vector<MpiMessage*> request_messages_;    // [requests]; null: its owner is gone
  std::vector<std::vector<std::byte>> refused_;  // messages of a wrong size
  bool grace_is_over_ = false;
};

}  // namespace tessera::distributed
