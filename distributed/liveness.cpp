// SPDX-License-Identifier: MIT
#include "distributed/liveness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::distributed {

Verdict diagnose(std::span<const LastSignal> newest, int self, int missing, double limit_s) {
  std::vector<int> chain = {self};
  int rank = missing;
  for (;;) {
    const auto met = std::find(chain.begin(), chain.end(), rank);
    if (met != chain.end()) {
      const std::vector<int> ring(met, chain.end());
      // One who has just begun to wait may have another answer under way.
      const bool stuck = std::all_of(ring.begin(), ring.end(), [&](int r) {
        return r == self || newest[r].signal.idle_s >= limit_s;
      });
      return {stuck ? Verdict::Kind::kDeadlock : Verdict::Kind::kAlive, ring, ""};
    }
    chain.push_back(rank);
    const LastSignal& last = newest[rank];
    const bool silent = last.age_s >= limit_s;
    if (silent || last.signal.state != RankState::kWaiting) {
      chain.erase(chain.begin());
      return {silent ? Verdict::Kind::kSilent : Verdict::Kind::kAlive, chain, last.signal.text};
    }
    rank = last.signal.peer;
  }
}

std::string describe(const Verdict& verdict, int self, std::string_view tag, double limit_s) {
  if (verdict.kind == Verdict::Kind::kDeadlock) {
    return fmt::format("ranks {} wait for one another in a ring for {:.3g} s, rank {} in '{}'",
                       fmt::join(verdict.ranks, " -> "), limit_s, self, tag);
  }
  const std::string work = verdict.last_work.empty() ? "" : fmt::format(" ({})", verdict.last_work);
  std::string through;
  if (verdict.ranks.size() > 1) {
    const std::span between(verdict.ranks.data(), verdict.ranks.size() - 1);
    through = fmt::format(", through {}", fmt::join(between, " -> "));
  }
  return fmt::format(
      "rank {}{} has given no sign of life for {:.3g} s, while rank {} waited for it in '{}'{}",
      verdict.ranks.back(), work, limit_s, self, tag, through);
}

}  // namespace tessera::distributed
