// SPDX-License-Identifier: MIT
#include "distributed/backends/mpi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/error.h"
#include "distributed/backends/mpi_board.h"
#include "distributed/backends/mpi_engine.h"

namespace tessera::distributed {
namespace {

// How long a failing rank stays for the others to learn why.
constexpr double kFarewell_s = 3;

class MpiExchange : public Exchange {
 public:
  MpiExchange(MpiEngine& engine, std::string_view tag, std::vector<MpiMessage> messages)
      : engine_(engine), tag_(tag), messages_(std::move(messages)) {}
  ~MpiExchange() override {
    try {
      engine_.withdraw(messages_);
    } catch (const core::Error&) {
      // MPI itself fails: the run is over, and some call before this one has said why.
    }
  }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  // Not in the constructor: what was begun before an error must be withdrawn.
  void begin() { engine_.start(messages_); }

  int poll() override {
    engine_.progress();
    int open = 0;
    for (const MpiMessage& message : messages_) {
      if (message.mismatched_size) {
        throw_size_mismatch(tag_, message.peer, engine_.rank(), *message.mismatched_size,
                            message.size);
      }
      open += message.open;
    }
    return open;
  }

  // MPI moves bytes only while it is called.
  bool needs_polling() const override {
    return std::any_of(messages_.begin(), messages_.end(),
                       [](const MpiMessage& message) { return message.under_way > 0; });
  }

  int missing_peer() const override {
    return std::find_if(messages_.begin(), messages_.end(),
                        [](const MpiMessage& message) { return message.open > 0; })
        ->peer;
  }

 private:
  MpiEngine& engine_;
  std::string_view tag_;
  std::vector<MpiMessage> messages_;
};

class MpiTransport : public Transport {
 public:
  MpiTransport(MpiEngine& engine, Group group) : Transport(std::move(group)), engine_(engine) {}

  std::unique_ptr<Exchange> start(std::string_view tag, std::span<const Send> sends,
                                  std::span<const Receive> receives) override {
    const std::vector<int>& world = group().world_ranks;
    std::vector<MpiMessage> messages;
    for (const Receive& receive : receives) {
      MpiMessage& message = messages.emplace_back();
      message.peer = world[receive.from];
      message.target = receive.bytes.data();
      message.size = receive.bytes.size();
    }
    for (const Send& send : sends) {
      MpiMessage& message = messages.emplace_back();
      message.peer = world[send.to];
      message.sends = true;
      message.source = send.bytes.data();
      message.size = send.bytes.size();
    }
    for (MpiMessage& message : messages) message.context = group().context;
    auto exchange = std::make_unique<MpiExchange>(engine_, tag, std::move(messages));
    exchange->begin();
    return exchange;
  }

  // A group is its context, by which MPI tells messages apart as by a tag. No communicator of MPI
  // is made: that would block all ranks, out of reach of the time-out.
  std::unique_ptr<Transport> subgroup(Group group) override {
    if (group.rank < 0) return nullptr;
    if (group.context > highest_context()) {
      throw core::Error(fmt::format(
          "the MPI library tells no more than {} groups of ranks apart, but more were made",
          highest_context()));
    }
    return std::make_unique<MpiTransport>(engine_, std::move(group));
  }

 private:
  int highest_context() {
    const std::lock_guard lock(engine_.mutex());
    int* highest = nullptr;
    int known = 0;
    check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &known),
              "tell its highest tag");
    return known != 0 ? *highest : 32767;  // what the standard demands at least
  }

  MpiEngine& engine_;
};

void initialize_mpi() {
  int initialized = 0;
  check_mpi(MPI_Initialized(&initialized), "tell whether it is initialized");
  if (initialized != 0) throw core::Error("MPI can be entered only once in a process");
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "be initialized");
  if (provided < MPI_THREAD_SERIALIZED) {
    throw core::Error(
        "this MPI library was built without support of threads (MPI_THREAD_SERIALIZED); take one "
        "that has it");
  }
}

}  // namespace

void run_in_mpi(const std::function<void(Communicator&)>& body) {
  initialize_mpi();
  MpiEngine engine;
  Group world;
  world.rank = engine.rank();
  world.world_ranks.resize(engine.size());
  std::iota(world.world_ranks.begin(), world.world_ranks.end(), 0);
  Communicator communicator(std::make_unique<MpiTransport>(engine, std::move(world)),
                            std::make_unique<MpiBoard>(engine));
  try {
    communicator.run(body);
  } catch (...) {
    // MPI_Finalize would wait for ranks that did not follow. A process that ends without it makes
    // the launcher end those; MPI_Abort does too, but hangs Open MPI's when several call it.
    communicator.stop_together(kFarewell_s);
    throw;
  }
  MPI_Finalize();
}

}  // namespace tessera::distributed
