// How many photos stay decoded within a memory budget is said.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

TEST(DecodedPhotos, AreCountedAndWhatWouldKeepAllIsSaid) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& memory) {
    return run_program({"reconstruct", TESSERA_SAMPLE, "-o", (folder / "out").string(), "-n", "2",
                        "--max-gaussians", "5000", "--max-memory", memory, "--force"});
  };
  const ProgramEnd tight = run("71MB");
  ASSERT_EQ(tight.exit_code, 0) << tight.err;
  EXPECT_THAT(tight.err, HasSubstr("of 15 photos stay decoded; the others are decoded again"));
  const size_t at = tight.err.find("--max-memory ");
  ASSERT_NE(at, std::string::npos) << tight.err;
  const std::string value = tight.err.substr(at + 13, tight.err.find(' ', at + 13) - at - 13);
  const ProgramEnd enough = run(value);
  EXPECT_EQ(enough.exit_code, 0);
  EXPECT_EQ(enough.err, "") << value;
}

}  // namespace
}  // namespace tessera::test
