// What those who watch a training want of all its ranks at one step, as one number: the `request`
// of models::TrainWishes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::apps {

struct LiveRequest {
  bool save = false;         // scene and checkpoint
  bool figures = false;      // of each rank
  int snapshot_degree = -1;  // of a snapshot's color; -1: no snapshot
};

constexpr int64_t packed(const LiveRequest& request) {
  return int64_t{request.save} | int64_t{request.figures} << 1 |
         int64_t{request.snapshot_degree + 1} << 2;
}

constexpr LiveRequest unpacked(int64_t request) {
  return {(request & 1) != 0, (request & 2) != 0, static_cast<int>(request >> 2) - 1};
}

}  // namespace tessera::apps
