// The contract of communicators, held to ranks that are threads.
// SPDX-License-Identifier: MIT
#include "distributed/backends/threads.h"

#include <gtest/gtest.h>

#include "tests/contract_communicator/cases.h"

namespace tessera::distributed::test {
namespace {

class ThreadsContract : public ::testing::TestWithParam<CaseOnRanks> {};

TEST_P(ThreadsContract, Holds) {
  const auto& [contract_case, size] = GetParam();
  run_in_threads(size, [body = contract_case.body](Communicator& communicator) {
    Memory memory;
    body(communicator, memory);
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, ThreadsContract, every_case_on_every_size(), name_of);

}  // namespace
}  // namespace tessera::distributed::test
