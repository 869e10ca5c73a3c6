// SPDX-License-Identifier: MIT
#include "distributed/backends/lone_rank.h"

#include "core/error.h"

namespace tessera::distributed {
namespace {

// There is nobody to send to: what is for oneself never comes here.
class LoneTransport final : public Transport {
 public:
  using Transport::Transport;

  std::unique_ptr<Exchange> start(std::string_view /*tag*/, std::span<const Send> /*sends*/,
                                  std::span<const Receive> /*receives*/) override {
    throw core::Error("a lone rank has nobody to exchange messages with");
  }
  std::unique_ptr<Transport> subgroup(Group group) override {
    if (group.rank < 0) return nullptr;
    return std::make_unique<LoneTransport>(std::move(group));
  }
};

class LoneBoard final : public SignalBoard {
 public:
  void post(const Signal& /*signal*/) override {}
  void read(std::span<Signal> /*newest*/) override {}
};

}  // namespace

std::unique_ptr<Communicator> lone_rank() {
  Group alone;
  alone.rank = 0;
  alone.world_ranks = {0};
  return std::make_unique<Communicator>(std::make_unique<LoneTransport>(std::move(alone)),
                                        std::make_unique<LoneBoard>());
}

}  // namespace tessera::distributed
