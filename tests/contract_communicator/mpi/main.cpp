// The contract of communicators, held to processes: run by mpirun. Smaller worlds are split from
// the one it is started with. Rank 0 tells how it goes; what fails is told by whom it fails on, and
// fails the run.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>

#include "distributed/backends/mpi.h"
#include "tests/contract_communicator/cases.h"

namespace tessera::distributed::test {
namespace {

Communicator* world = nullptr;  // GoogleTest hands nothing to its tests

class MpiContract : public ::testing::TestWithParam<CaseOnRanks> {};

TEST_P(MpiContract, Holds) {
  const auto& [contract_case, size] = GetParam();
  if (size > world->size()) GTEST_SKIP() << "needs " << size << " processes";
  const std::unique_ptr<Communicator> communicator =
      world->split(world->rank() < size ? 0 : -1, world->rank());
  Memory memory;
  if (communicator) contract_case.body(*communicator, memory);
  world->barrier("between tests");
}

INSTANTIATE_TEST_SUITE_P(Cases, MpiContract, every_case_on_every_size(), name_of);

class FailuresOnly : public ::testing::EmptyTestEventListener {
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", world->rank(),
                 result.file_name() != nullptr ? result.file_name() : "", result.line_number(),
                 result.message());
  }
};

int run_all(int argc, char** argv) {
  int failed = 0;
  run_in_mpi([&](Communicator& communicator) {
    world = &communicator;
    communicator.set_timeout(60);
    ::testing::InitGoogleTest(&argc, argv);
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (world->rank() != 0) {
      delete listeners.Release(listeners.default_result_printer());
      listeners.Append(new FailuresOnly);
    }
    // An exception on one rank leaves the others in the midst of the test: all must end.
    GTEST_FLAG_SET(catch_exceptions, false);
    const int own = RUN_ALL_TESTS();
    failed = static_cast<int>(communicator.all_reduce("end", Reduction::kMax, int64_t{own}));
  });
  return failed;
}

}  // namespace
}  // namespace tessera::distributed::test

int main(int argc, char** argv) {
  try {
    return tessera::distributed::test::run_all(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
