// How many splats of each rank a view will show and what its strips will cost, from when it was
// shown last: good enough to fetch photos ahead by.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/camera.h"

namespace tessera::models {

class ExpectedCounts {
 public:
  struct Counts {
    std::vector<int64_t> visible;      // by rank
    std::vector<int64_t> strip_costs;  // if views are balanced by them
  };

  explicit ExpectedCounts(int ranks) : ranks_(ranks) {}

  // What the view of that index has shown now.
  void set(int index, const core::PosedCamera& camera, const Counts& counts);
  // What it showed last; before it was shown, what the nearest camera did; zeros and no strips
  // before any was.
  Counts of(int index, const core::PosedCamera& camera) const;

 private:
  struct Shown {
    math::Vec3<double> center;
    Counts counts;
  };

  int ranks_;
  std::map<int, Shown> shown_;  // by index: of equally near cameras the same is taken on all ranks
};

}  // namespace tessera::models
