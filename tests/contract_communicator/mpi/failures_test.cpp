// How a run of processes ends: on all ranks, soon, by the sentence that says why.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace tessera::distributed {
namespace {

using ::testing::HasSubstr;

struct End {
  int exit_code = -1;
  std::string output;
};

End run_three_ranks(const std::string& how) {
  const std::string command =
      std::string(TESSERA_MPIEXEC) + " 3 " + TESSERA_FAILING_RANKS + " '" + how + "' 2>&1";
  End end;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece{};
  while (const size_t size = fread(piece.data(), 1, piece.size(), pipe)) {
    end.output.append(piece.data(), size);
  }
  end.exit_code = WEXITSTATUS(pclose(pipe));
  return end;
}

TEST(MpiFailures, AnErrorIsToldByAllRanks) {
  const End end = run_three_ranks("throw");
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.output, HasSubstr("rank 1: the disk is full"));
  EXPECT_THAT(end.output, HasSubstr("rank 0: Rank 1 stopped: the disk is full"));
  EXPECT_THAT(end.output, HasSubstr("rank 2: Rank 1 stopped: the disk is full"));
}

TEST(MpiFailures, AHangingRankIsNamedAndEnded) {
  const End end = run_three_ranks("hang");
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.output, HasSubstr("rank 0: rank 1 has given no sign of life for 2 s"));
  EXPECT_THAT(end.output, HasSubstr("rank 2: rank 1 has given no sign of life for 2 s"));
}

TEST(MpiFailures, AKilledRankEndsAll) {
  EXPECT_NE(run_three_ranks("die").exit_code, 0);
}

TEST(MpiFailures, ARingIsADeadlock) {
  const End end = run_three_ranks("ring");
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.output, HasSubstr("wait for one another in a ring for 2 s"));
}

TEST(MpiFailures, LongWorkIsNone) {
  const End end = run_three_ranks("long work");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.output, HasSubstr("rank 1: fine"));
}

}  // namespace
}  // namespace tessera::distributed
