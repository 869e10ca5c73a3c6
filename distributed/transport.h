// What moves bytes between ranks: the interface of a communicator's backend.
//
// A backend moves messages between pairs of ranks and nothing more. Collectives, counters and
// time-outs stand once, in the Communicator, on top of this. Between two ranks of a group messages
// match in the order in which they were started, as NCCL has it: there is no matching by tag.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::distributed {

struct Send {
  int to = 0;
  std::span<const std::byte> bytes;
};

struct Receive {
  int from = 0;
  std::span<std::byte> bytes;
};

// The ranks that talk to one another. `context` tells the messages of one group from those of
// another between the same two ranks.
struct Group {
  int context = 0;
  int rank = -1;  // ours; -1: in no group
  std::vector<int> world_ranks;

  int size() const { return static_cast<int>(world_ranks.size()); }
};

// Messages under way. Destroying it withdraws what was not done: afterwards nobody reads or writes
// its buffers.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Moves what can be moved without waiting, and returns how many pieces are still open: 0 when
  // all is done. Throws core::Error if a message has another size than the receiver expects.
  virtual int poll() = 0;

  // The world rank of a peer with whom a piece is open; to be called only after poll() gave one.
  virtual int missing_peer() const = 0;

  // Whether pieces move only as often as poll() is called, so that one should not sleep long.
  virtual bool needs_polling() const { return false; }
};

class Transport {
 public:
  explicit Transport(Group group) : group_(std::move(group)) {}
  virtual ~Transport() = default;

  const Group& group() const { return group_; }

  // Starts all of it at once. No message is empty, none is for oneself. `tag` names it in errors;
  // it and the buffers must outlive the exchange.
  virtual std::unique_ptr<Exchange> start(std::string_view tag, std::span<const Send> sends,
                                          std::span<const Receive> receives) = 0;

  // The same backend for some of the ranks. All ranks of this group call it; those in no group
  // give one of rank -1 and get none.
  virtual std::unique_ptr<Transport> subgroup(Group group) = 0;

  // Whether buffers are in the memory of a device.
  virtual bool in_device_memory() const { return false; }

  // A part for oneself.
  virtual void copy(std::span<std::byte> to, std::span<const std::byte> from) {
    std::memcpy(to.data(), from.data(), from.size());
  }

 private:
  Group group_;
};

// "in 'splats' rank 1 sent 12 bytes to rank 0, which expects 8": as a core::Error.
[[noreturn]] void throw_size_mismatch(std::string_view tag, int from, int to, size_t sent,
                                      size_t expected);

}  // namespace tessera::distributed
