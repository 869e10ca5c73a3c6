// A capture's photos fitted, and the film drawn, by several ranks as users start them.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> run_of(const fs::path& out, std::vector<std::string> more) {
  std::vector<std::string> words = {"photo3d",    TESSERA_SAMPLE, "-o",       out.string(), "-r",
                                    "60",         "--planes",     "6",        "--nearest",  "1",
                                    "--farthest", "20",           "--frames", "5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Photo3dRanks, WriteTheBytesOfOneRank) {
  const TemporaryFolder folder;
  const ProgramEnd one = run_program(run_of(folder / "one", {"--steps", "4"}));
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const ProgramEnd three = run_program(run_of(folder / "three", {"--steps", "4", "--ranks", "3"}));
  ASSERT_EQ(three.exit_code, 0) << three.err;
  EXPECT_THAT(one.out, Not(HasSubstr("between ranks")));
  EXPECT_THAT(three.out, AllOf(HasSubstr("3 ranks as "), HasSubstr("step 4/4"),
                               HasSubstr("texel gradients"), HasSubstr("Wrote ")));
  std::vector<std::string> names = {"stereo.jpg", "depth.png", "view.html"};
  if (one.err.find("ffmpeg is not installed") == std::string::npos) names.push_back("film.mp4");
  for (const fs::directory_entry& part : fs::directory_iterator(folder / "one" / "scene.tmpi")) {
    names.push_back("scene.tmpi/" + part.path().filename().string());
  }
  for (const std::string& name : names) {
    EXPECT_TRUE(text_of(folder / "three" / name) == text_of(folder / "one" / name)) << name;
  }
}

TEST(Photo3dRanks, AreThreadsWhereThereIsNoLauncher) {
  const TemporaryFolder folder;
  Program program(run_of(folder / "out", {"--steps", "2", "--ranks", "2"}), std::nullopt,
                  "/nowhere");
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("2 ranks as threads of one process"));
  EXPECT_TRUE(fs::exists(folder / "out" / "scene.tmpi"));
}

TEST(Photo3dRanks, StopTogetherAndLeaveTheFilmOut) {
  const TemporaryFolder folder;
  Program program(run_of(folder / "out", {"--steps", "5000", "--ranks", "2"}));
  ASSERT_TRUE(program.says("step 1/5,000"));
  program.send(SIGINT);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 130) << end.err;
  EXPECT_THAT(end.err, AllOf(HasSubstr("of 5000 steps"), HasSubstr("without a film")));
  EXPECT_TRUE(fs::exists(folder / "out" / "scene.tmpi"));
  EXPECT_FALSE(fs::exists(folder / "out" / "film.mp4"));
}

TEST(Photo3dRanks, AStoppedFilmIsLeftOut) {
  const TemporaryFolder folder;
  std::vector<std::string> words = run_of(folder / "out", {"--steps", "2", "--ranks", "2"});
  *(std::find(words.begin(), words.end(), "--frames") + 1) = "100000";
  Program program(words);
  if (!program.says("frame 1/")) GTEST_SKIP() << program.wait().err;
  program.send(SIGINT);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 130) << end.err;
  EXPECT_THAT(end.err, HasSubstr("out holds all else"));
  EXPECT_TRUE(fs::exists(folder / "out" / "report.html"));
  EXPECT_FALSE(fs::exists(folder / "out" / "film.mp4"));
}

TEST(Photo3dRanks, AFaultIsToldOnce) {
  const TemporaryFolder folder;
  const ProgramEnd end =
      run_program(run_of(folder / "out", {"--views", "nothing.png", "--ranks", "2"}));
  EXPECT_EQ(end.exit_code, 2);
  const size_t at = end.err.find("nothing.png");
  ASSERT_NE(at, std::string::npos) << end.err;
  EXPECT_EQ(end.err.find("nothing.png", at + 1), std::string::npos) << end.err;
  EXPECT_FALSE(fs::exists(folder / "out"));
}

}  // namespace
}  // namespace tessera::test
