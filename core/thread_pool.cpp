// SPDX-License-Identifier: MIT
#include "core/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tessera::core {

struct ThreadPool::Impl {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable work_ready;
  std::condition_variable work_done;
  uint64_t generation = 0;
  int busy = 0;
  bool stop = false;

  const std::function<void(int64_t, int64_t, int)>* body = nullptr;
  int64_t count = 0;
  int64_t grain = 1;
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;

  void run_items(int thread) {
    try {
      for (;;) {
        const int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
        if (begin >= count) return;
        (*body)(begin, std::min(begin + grain, count), thread);
      }
    } catch (...) {
      next.store(count, std::memory_order_relaxed);
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  void worker(int thread) {
    uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex);
        work_ready.wait(lock, [&] { return stop || generation != seen; });
        if (stop) return;
        seen = generation;
      }
      run_items(thread);
      const std::lock_guard lock(mutex);
      if (--busy == 0) work_done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>()) {
  const int total = threads > 0 ? threads : granted_cores();
  for (int i = 1; i < total; ++i) {
    impl_->threads.emplace_back([impl = impl_.get(), i] { impl->worker(i); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stop = true;
  }
  impl_->work_ready.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

int ThreadPool::thread_count() const {
  return static_cast<int>(impl_->threads.size()) + 1;
}

void ThreadPool::parallel_for(int64_t count, int64_t grain,
                              const std::function<void(int64_t, int64_t, int)>& body) {
  if (count <= 0) return;
  if (impl_->threads.empty() || count <= grain) {
    for (int64_t begin = 0; begin < count; begin += grain) {
      body(begin, std::min(begin + grain, count), 0);
    }
    return;
  }
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->body = &body;
    impl_->count = count;
    impl_->grain = grain;
    impl_->next.store(0, std::memory_order_relaxed);
    impl_->failure = nullptr;
    impl_->busy = static_cast<int>(impl_->threads.size());
    ++impl_->generation;
  }
  impl_->work_ready.notify_all();
  impl_->run_items(0);
  std::unique_lock lock(impl_->mutex);
  impl_->work_done.wait(lock, [&] { return impl_->busy == 0; });
  if (impl_->failure) std::rethrow_exception(impl_->failure);
}

int granted_cores() {
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cores = CPU_COUNT(&set);
  std::ifstream cgroup("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (cgroup >> quota >> period && quota != "max" && period > 0) {
    cores = std::min(cores, std::max(1, static_cast<int>(std::stod(quota) / period + 0.5)));
  }
  return std::max(1, cores);
}

}  // namespace tessera::core
