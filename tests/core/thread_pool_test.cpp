// The pool runs every item once, on threads it names, and hands on what a body throws.
// SPDX-License-Identifier: MIT
#include "core/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace tessera::core {
namespace {

TEST(ThreadPool, RunsEachItemOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.thread_count(), threads);
    for (const int64_t count : {0, 1, 2, 7, 1000}) {
      for (const int64_t grain : {1, 3, 2000}) {
        std::vector<std::atomic<int>> runs(count);
        pool.parallel_for(count, grain, [&](int64_t begin, int64_t end, int thread) {
          EXPECT_LE(end - begin, grain);
          EXPECT_GE(thread, 0);
          EXPECT_LT(thread, threads);
          for (int64_t i = begin; i < end; ++i) ++runs[i];
        });
        for (const auto& r : runs) EXPECT_EQ(r, 1);
      }
    }
  }
}

TEST(ThreadPool, ThrowsWhatABodyThrewAndGoesOn) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    EXPECT_THROW(pool.parallel_for(100, 1,
                                   [](int64_t begin, int64_t, int) {
                                     if (begin == 42) throw std::runtime_error("42");
                                   }),
                 std::runtime_error);
    std::atomic<int> sum = 0;
    pool.parallel_for(10, 1, [&](int64_t begin, int64_t, int) { sum += static_cast<int>(begin); });
    EXPECT_EQ(sum, 45);
  }
}

TEST(ThreadPool, TakesTheGrantedCoresByDefault) {
  EXPECT_GE(granted_cores(), 1);
  EXPECT_EQ(ThreadPool().thread_count(), granted_cores());
}

}  // namespace
}  // namespace tessera::core
