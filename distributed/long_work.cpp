// SPDX-License-Identifier: MIT
#include "distributed/long_work.h"

#include <chrono>

namespace tessera::distributed {

LongWork::LongWork(Communicator& communicator, std::string_view what)
    : watch_(communicator.shared_->watch) {
  watch_.begin_long_work(what);
  thread_ = std::thread(
      [this, interval = signal_interval_s(communicator.timeout_s_)] { tick(interval); });
}

LongWork::~LongWork() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ended_changed_.notify_one();
  thread_.join();
  watch_.end_long_work();
}

void LongWork::tick(double interval_s) {
  std::unique_lock lock(mutex_);
  while (!ended_changed_.wait_for(lock, std::chrono::duration<double>(interval_s),
                                  [&] { return ended_; })) {
    watch_.post();
  }
}

}  // namespace tessera::distributed
