// The contract of communicators, held to ranks that are threads.
// SPDX-License-Identifier: MIT
#include "distributed/backends/threads.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/contract_communicator/cases.h"

namespace tessera::distributed::test {
namespace {

class ThreadsContract : public ::testing::TestWithParam<CaseOnRanks> {};

TEST_P(ThreadsContract, Holds) {
  const auto& [contract_case, size] = GetParam();
  std::atomic<int> done = 0;
  run_in_threads(size, [&done, body = contract_case.body](Communicator& communicator) {
    Memory memory;
    body(communicator, memory);
    ++done;
  });
  EXPECT_EQ(done, size) << "ranks that came to the end of the case";
}

INSTANTIATE_TEST_SUITE_P(Cases, ThreadsContract, every_case_on_every_size(), name_of);

}  // namespace
}  // namespace tessera::distributed::test
