// While it lives, a thread tells the other ranks once a second that this one is busy and not
// hanging: for what may take longer than the time-out between two calls of the communicator, such
// as reading photos or writing a checkpoint.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

#include "distributed/communicator.h"

namespace tessera::distributed {

class LongWork {
 public:
  // `what` is named if the rank falls silent nevertheless: "reading photos". May be nested.
  LongWork(Communicator& communicator, std::string_view what);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  void tick(double interval_s);

  Watch& watch_;
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace tessera::distributed
