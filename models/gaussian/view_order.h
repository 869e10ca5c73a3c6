// Which photo comes when: each epoch shows every view once, in an order of its own.
//
// The order is a function of the seed and the epoch, so a resumed run needs no state for it, and it
// is the same on any number of ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::models {

class ViewOrder {
 public:
  // An epoch is a random permutation.
  ViewOrder(int view_count, uint64_t seed);
  // regions[view], see view_regions, of as many as this batch has. Steps of `batch` views show
  // different regions as far as the views that are next in the permutation allow: so what the ranks
  // draw has different owners.
  ViewOrder(std::vector<int> regions, int batch, uint64_t seed);

  // The view, 0 to view_count - 1, that is the `position`-th shown since the start of the run.
  int view(int64_t position);

 private:
  std::vector<int> permutation(int64_t epoch) const;
  std::vector<int> spread(const std::vector<int>& permutation, int64_t epoch) const;

  std::vector<int> regions_;
  int batch_;
  uint64_t seed_;
  // The even and the odd epoch last asked for: looking ahead crosses from one to the next and back.
  std::vector<int> order_[2];
  int64_t epoch_[2] = {-1, -1};
};

}  // namespace tessera::models
