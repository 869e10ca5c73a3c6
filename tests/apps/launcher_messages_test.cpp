// SPDX-License-Identifier: MIT
#include "apps/commands/launcher_messages.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera::apps {
namespace {

const std::string kRule = std::string(74, '-') + "\n";

// Open MPI 4, and 5, which breaks its lines.
const std::string kKilled[] = {
    kRule +
        "mpirun noticed that process rank 2 with PID 0 on node cloud exited on signal 9 "
        "(Killed).\n" +
        kRule,
    kRule +
        "prterun noticed that process rank 2 with PID 4711 on node cloud exited on\n"
        "signal 9 (Killed).\n" +
        kRule};
const std::string kFailed[] = {
    kRule +
        "Primary job  terminated normally, but 1 process returned\na non-zero exit code. Per "
        "user-direction, the job has been aborted.\n" +
        kRule,
    kRule +
        "prterun detected that one or more processes exited with non-zero status,\nthus causing "
        "the "
        "job to be terminated. The first process to do so was:\n\n   Process name: "
        "[prterun-cloud-1@1,0]\n   Exit code:    2\n" +
        kRule};

// In pieces of that many bytes.
std::string passed(const std::string& text, size_t piece,
                   std::optional<LauncherMessages::Killed>& killed) {
  std::string out;
  LauncherMessages messages([&](std::string_view bytes) { out += bytes; });
  for (size_t at = 0; at < text.size(); at += piece) messages.take(text.substr(at, piece));
  messages.end();
  killed = messages.killed();
  return out;
}

TEST(LauncherMessages, OfAKilledRankTellWhichAndDoNotPass) {
  for (const std::string& block : kKilled) {
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{10000}}) {
      std::optional<LauncherMessages::Killed> killed;
      EXPECT_EQ(passed("a word of a rank\n" + block + "another\n", piece, killed),
                "a word of a rank\nanother\n");
      ASSERT_TRUE(killed);
      EXPECT_EQ(killed->rank, 2);
      EXPECT_EQ(killed->signal, 9);
    }
  }
}

TEST(LauncherMessages, OfExitCodesDoNotPass) {
  for (const std::string& block : kFailed) {
    std::optional<LauncherMessages::Killed> killed;
    EXPECT_EQ(passed("tessera: no such file\n" + block, 5, killed), "tessera: no such file\n");
    EXPECT_FALSE(killed);
  }
}

TEST(LauncherMessages, OfOtherThingsPass) {
  const std::string block = kRule + "There are not enough slots available in the system\n" + kRule;
  std::optional<LauncherMessages::Killed> killed;
  EXPECT_EQ(passed(block, 3, killed), block);
  EXPECT_EQ(passed(kRule + "cut off", 3, killed), kRule + "cut off");
  EXPECT_EQ(passed("- a dash, then the end", 3, killed), "- a dash, then the end");
}

TEST(LauncherMessages, ThatRanksEndIsToldOnce) {
  std::optional<LauncherMessages::Killed> killed;
  EXPECT_EQ(passed("tessera: a.jpg is cut off\n[host:12] Read -1, expected 30800, errno = 3\n"
                   "tessera: a.jpg is cut off\nstep 3\n",
                   4, killed),
            "tessera: a.jpg is cut off\nstep 3\n");
}

TEST(LauncherMessages, PartsOfLinesPassAtOnce) {
  std::string out;
  LauncherMessages messages([&](std::string_view bytes) { out += bytes; });
  messages.take("step 12/100");
  EXPECT_EQ(out, "step 12/100");
}

}  // namespace
}  // namespace tessera::apps
