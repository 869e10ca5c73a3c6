// SPDX-License-Identifier: MIT
#include "distributed/common_clock.h"

#include <cstdint>
#include <span>

namespace tessera::distributed {
namespace {

constexpr std::string_view kTag = "clocks";
constexpr int kRoundTrips = 20;

int64_t now() {
  const auto since_epoch = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::nanoseconds(since_epoch).count();
}

void send(Communicator& ranks, int to, int64_t value) {
  const Send part = send_to(to, std::span<const int64_t>(&value, 1));
  ranks.start(kTag, {&part, 1}, {}).wait();
}

int64_t receive(Communicator& ranks, int from) {
  int64_t value = 0;
  const Receive part = receive_from(from, std::span(&value, 1));
  ranks.start(kTag, {}, {&part, 1}).wait();
  return value;
}

}  // namespace

ClockOffset clock_offset(Communicator& ranks) {
  if (ranks.rank() == 0) {
    for (int r = 1; r < ranks.size(); ++r) {
      for (int i = 0; i < kRoundTrips; ++i) {
        receive(ranks, r);
        send(ranks, r, now());
      }
    }
    return {};
  }
  ClockOffset best;
  for (int i = 0; i < kRoundTrips; ++i) {
    const int64_t asked = now();
    send(ranks, 0, asked);
    const int64_t first = receive(ranks, 0);
    const int64_t half = (now() - asked + 1) / 2;
    if (i > 0 && half >= best.error.count()) continue;
    best = {std::chrono::nanoseconds(first - (asked + half)), std::chrono::nanoseconds(half)};
  }
  return best;
}

}  // namespace tessera::distributed
