// Seconds since construction, by the monotonic clock.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace tessera::core {

class Timer {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tessera::core
