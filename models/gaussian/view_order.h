// Which photo comes when: each epoch shows every view once, in an order of its own.
//
// The order is a function of the seed and the epoch, so a resumed run needs no state for it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::models {

class ViewOrder {
 public:
  ViewOrder(int view_count, uint64_t seed);

  // The view, 0 to view_count - 1, that is the `position`-th shown since the start of the run.
  int view(int64_t position);

 private:
  uint64_t seed_;
  int view_count_;
  // The permutations of the even and of the odd epoch last asked for: looking ahead crosses from
  // one to the next and back.
  std::vector<int> permutation_[2];
  int64_t epoch_[2] = {-1, -1};
};

}  // namespace tessera::models
