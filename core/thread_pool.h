// A pool that runs the items of a loop on all threads, the calling one included.
//
// Items are handed out one by one (or in grains) from a shared counter, so a caller who orders them
// largest first gets a balanced end. No result may depend on which thread runs an item: sums across
// items are taken afterwards, in item order.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tessera::core {

class ThreadPool {
 public:
  // threads >= 1 in all, the caller's among them; 0 takes one per core granted to the process.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const;

  // Calls body(begin, end, thread) over [0, count) in pieces of at most `grain` items, with
  // 0 <= thread < thread_count(), and returns when all are done. The first exception that a body
  // throws is thrown here after the others ended. Not to be nested.
  void parallel_for(int64_t count, int64_t grain,
                    const std::function<void(int64_t begin, int64_t end, int thread)>& body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Cores that this process may use (its affinity mask and cgroup quota, not the machine's count).
int granted_cores();

}  // namespace tessera::core
