// Cuts space into boxes in which points of all ranks have nearly equal weight: for the ranks that
// own what lies in them.
//
// Recursive bisection (Berger and Bokhari, "A Partitioning Strategy for Nonuniform Problems on
// Multiprocessors", 1987), level by level. Weights are whole numbers that all ranks add up, so the
// boxes are the same on all ranks, whichever has which points.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "distributed/communicator.h"

namespace tessera::distributed {

using LatticePoint = std::array<uint16_t, 3>;

class PointPartition {
 public:
  // Collective: weights[i] >= 0 of points[i], this rank's own. Each cut halves the number of parts
  // across the longest side of the points. It lies between two layers of the lattice, which are not
  // divided: where all weight lies in few, or there are fewer points than parts, some boxes are
  // empty.
  PointPartition(Communicator& ranks, std::string_view tag, std::span<const LatticePoint> points,
                 std::span<const int64_t> weights, int parts);

  // In which part it lies, whether it was among the points or not.
  int part(const LatticePoint& point) const;

 private:
  // Parts [first, first + parts); where these are several, cut into two boxes.
  struct Box {
    int first = 0;
    int parts = 1;
    int axis = 0;
    int cut = 0;   // the first half has the points below
    int half = 0;  // its place in boxes_; the other half is the next one

    int half_of(const LatticePoint& point) const { return point[axis] < cut ? half : half + 1; }
  };
  class LevelCutter;

  std::vector<Box> boxes_;  // level by level
};

}  // namespace tessera::distributed
