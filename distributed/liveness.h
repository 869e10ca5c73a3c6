// Who is to blame when a rank has waited too long: reasoning over the signals of all ranks.
//
// A rank that hangs makes others wait, and those make others wait; so the chain of "waits for" is
// followed from the missing peer to the rank that gives no more signals. A slow rank that does give
// some is no failure. The functions know no clock and no backend, so that tests can make all cases.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "distributed/signal_board.h"

namespace tessera::distributed {

// The run cannot go on since a rank failed, hangs, or waits in a ring. Thrown by all ranks, with
// the same sentence.
class RankFailed : public core::Error {
 public:
  RankFailed(int rank, const std::string& sentence, bool told = false)
      : core::Error(sentence), rank_(rank), told_(told) {}

  int rank() const { return rank_; }  // of the world: whose fault it is
  // Whether another rank found the fault and tells the user of it.
  bool told() const { return told_; }

 private:
  int rank_;
  bool told_;
};

// A rank's newest signal and how long ago it was seen.
struct LastSignal {
  Signal signal;
  double age_s = 0;
};

struct Verdict {
  enum class Kind {
    kAlive,     // the last of `ranks` gives signals: go on waiting
    kSilent,    // the last of `ranks` has given none for the limit
    kDeadlock,  // each of `ranks` waits for the next, the last for the first
  };
  Kind kind = Kind::kAlive;
  std::vector<int> ranks;  // from the missing peer on, or the ring
  std::string last_work;   // kSilent: the LongWork that the silent rank was at, if any
};

// For rank `self`, which has waited limit_s for rank `missing` and got nothing. `newest` is [world
// size]. A ring counts only if each in it has waited limit_s too.
Verdict diagnose(std::span<const LastSignal> newest, int self, int missing, double limit_s);

// The sentence of a verdict that ends the run. `tag` is what `self` waited in.
std::string describe(const Verdict& verdict, int self, std::string_view tag, double limit_s);

}  // namespace tessera::distributed
