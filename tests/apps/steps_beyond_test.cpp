// Steps to save or measure at that a run does not reach are named once, before it begins.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

ProgramEnd ten_steps(const TemporaryFolder& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words = {
      "reconstruct", TESSERA_SAMPLE, "-o",     (folder / "out").string(), "-r", "8",
      "-n",          "10",           "--force"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(StepsBeyondTheEnd, AreNamed) {
  const TemporaryFolder folder;
  const ProgramEnd end =
      ten_steps(folder, {"--save-iterations", "5", "7000", "30000", "--test-iterations", "11"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("ends at step 10 and does not reach --save-iterations 7000, "
                                 "30000, nor --test-iterations 11"));
  EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "out/point_cloud/iteration_5"));
}

TEST(StepsBeyondTheEnd, AreNotThoseUpToIt) {
  const TemporaryFolder folder;
  const ProgramEnd end =
      ten_steps(folder, {"--save-iterations", "5", "10", "--test-iterations", "10"});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.err, "");
}

}  // namespace
}  // namespace tessera::test
