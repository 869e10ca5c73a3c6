// Runs on several ranks, as users start them.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "assets/io.h"
#include "models/gaussian/checkpoint.h"
#include "tests/support/program.h"
#include "tests/support/random_scene.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> run_of(const fs::path& out, std::vector<std::string> more) {
  std::vector<std::string> words = {"reconstruct", TESSERA_SAMPLE, "-o", out.string(), "-r",
                                    "8",           "--sh-degree",  "1",  "--seed",     "5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The Gaussians of a scene in an order of their own: files of different rank counts differ in it.
std::vector<std::vector<float>> sorted_rows(const fs::path& scene) {
  const core::GaussianCloud cloud = assets::read_scene(scene).cloud;
  std::vector<std::vector<float>> rows(cloud.size());
  for (int64_t i = 0; i < cloud.size(); ++i) {
    for (int p = 0; p < cloud.parameters.plane_count(); ++p) rows[i].push_back(cloud.plane(p)[i]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The ranks of a run among the processes of this machine, by what was written on their command
// line.
std::vector<pid_t> ranks_of(const fs::path& out) {
  std::vector<pid_t> found;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    const std::string name = process.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string words = text_of(process.path() / "cmdline");
    if (words.starts_with(TESSERA_PROGRAM) && words.find(out.string()) != std::string::npos) {
      found.push_back(static_cast<pid_t>(std::stol(name)));
    }
  }
  return found;
}

bool has_mpirun() {
  return std::system("command -v mpirun >/dev/null") == 0;
}

TEST(Ranks, GiveTheSceneOfOneRank) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), {"-n", "160", "--batch", "4", "--eval"});
    ProgramEnd end = run_program(run_of(folder / name, more));
    EXPECT_EQ(end.exit_code, 0) << end.err;
    return end;
  };
  run("one", {});
  const ProgramEnd three = run("three", {"--ranks", "3"});
  EXPECT_THAT(text_of(folder / "one" / "report.html"), Not(HasSubstr("Between ranks")));
  EXPECT_THAT(text_of(folder / "three" / "report.html"),
              AllOf(HasSubstr("Between ranks"), HasSubstr("3 ranks as "),
                    HasSubstr("<td>splat gradients</td>"), HasSubstr("from another rank")));
  EXPECT_THAT(three.out, HasSubstr("3 ranks as "));
  EXPECT_THAT(three.out, HasSubstr("step 160/160"));
  EXPECT_THAT(three.out, AllOf(HasSubstr("splat gradients"), HasSubstr("from another rank"),
                               HasSubstr("of drawing 1.")));
  EXPECT_EQ(sorted_rows(folder / "three" / "scene.ply"), sorted_rows(folder / "one" / "scene.ply"));
  EXPECT_EQ(text_of(folder / "three" / "results.json"), text_of(folder / "one" / "results.json"));
}

TEST(Ranks, AreThreadsWhereThereIsNoLauncher) {
  const TemporaryFolder folder;
  Program program(run_of(folder / "out", {"-n", "8", "--ranks", "2"}), std::nullopt, "/nowhere");
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("2 ranks as threads of one process"));
  EXPECT_GT(assets::read_scene(folder / "out" / "scene.ply").cloud.size(), 0);
}

TEST(Ranks, ACheckpointIsResumedByAnyNumber) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  for (const auto& [steps, ranks] : {std::pair{"40", "3"}, {"80", "1"}, {"120", "2"}}) {
    std::vector<std::string> words = {"reconstruct", "--resume", "-o",      out.string(),
                                      "-n",          steps,      "--ranks", ranks};
    if (steps == std::string("40")) words = run_of(out, {"-n", steps, "--ranks", ranks});
    const ProgramEnd end = run_program(words);
    ASSERT_EQ(end.exit_code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr(std::string("step ") + steps + "/" + steps));
  }
}

TEST(Ranks, KeepTheMessagePrecisionOfTheRun) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  const ProgramEnd begun =
      run_program(run_of(out, {"-n", "20", "--ranks", "2", "--message-precision", "compressed"}));
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_THAT(text_of(out / "run.json"), HasSubstr("\"message-precision\": \"compressed\""));
  const std::vector<std::string> resume = {"reconstruct", "--resume", "-o",      out.string(),
                                           "-n",          "30",       "--ranks", "2"};
  std::vector<std::string> exact = resume;
  exact.insert(exact.end(), {"--message-precision", "float32"});
  const ProgramEnd refused = run_program(exact);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--message-precision"));
  const ProgramEnd resumed = run_program(resume);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("step 30/30"));
}

TEST(Ranks, MessagesThatTravelWhilePixelsAreDrawnChangeNothing) {
  const TemporaryFolder folder;
  for (const std::string partition : {"views", "balanced", "blocks"}) {
    for (const std::string overlap : {"on", "off"}) {
      const ProgramEnd end = run_program(
          run_of(folder / (partition + overlap), {"-n", "40", "--batch", "4", "--ranks", "2",
                                                  "--partition", partition, "--overlap", overlap}));
      ASSERT_EQ(end.exit_code, 0) << end.err;
      EXPECT_EQ(partition != "views", end.out.find("halo") != std::string::npos) << end.out;
    }
    EXPECT_EQ(text_of(folder / (partition + "on") / "scene.ply"),
              text_of(folder / (partition + "off") / "scene.ply"));
  }
  const ProgramEnd refused = run_program(run_of(folder / "maybe", {"--overlap", "maybe"}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--overlap"), HasSubstr("on or off")));
}

TEST(Ranks, CtrlCSavesAndLeavesBy130) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program(run_of(out, {"-n", "100000", "--ranks", "2", "--force"}));
    ASSERT_TRUE(program.says("step 1/"));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    program.send(signal);
    const ProgramEnd end = program.wait();
    EXPECT_EQ(end.exit_code, 130) << end.err;
    EXPECT_THAT(end.err, AllOf(HasSubstr("Stopped at step"), HasSubstr("--resume -o")));
    EXPECT_TRUE(models::latest_checkpoint(out / "checkpoints").has_value());
    EXPECT_GT(assets::read_scene(out / "scene.ply").cloud.size(), 0);
    EXPECT_TRUE(ranks_of(out).empty());
  }
}

TEST(Ranks, AWishToStopIsKeptFromTheFirstMomentOn) {
  if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun: ranks are threads";
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  Program program(run_of(out, {"-n", "100000", "--ranks", "2"}));
  while (ranks_of(out).size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.send(SIGTERM);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 130) << end.err;
  EXPECT_THAT(end.err, HasSubstr("Stopped at step"));
  EXPECT_TRUE(models::latest_checkpoint(out / "checkpoints").has_value());
}

TEST(Ranks, StartedByHandWithUnlikeOptionsAreRefused) {
  if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun";
  const TemporaryFolder folder;
  const auto command = [&](const std::string& seed) {
    return std::string(TESSERA_PROGRAM) + " reconstruct " + TESSERA_SAMPLE + " -r 8 -n 20 --seed " +
           seed + " -o " + (folder / "out").string();
  };
  const std::string line =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 "
      "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 1 " +
      command("1") + " : -n 1 " + command("2") + " >" + (folder / "said").string() + " 2>&1";
  EXPECT_NE(std::system(line.c_str()), 0);
  EXPECT_THAT(text_of(folder / "said"), HasSubstr("rank 1 was started with other options"));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(Ranks, ABrokenPhotoIsNamedOnceInTheWordsOfOneRank) {
  const TemporaryFolder folder;
  fs::copy(TESSERA_SAMPLE, folder / "capture", fs::copy_options::recursive);
  const fs::path broken = folder / "capture" / "images" / "DSC_0424.JPG";  // the second
  fs::resize_file(broken, fs::file_size(broken) / 2);
  const auto run = [&](const char* ranks, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"reconstruct", (folder / "capture").string(), "-o", (folder / "out").string(),
                 "-r", "8", "-n", "6", "--force", "--ranks", ranks});
    return run_program(more);
  };
  const ProgramEnd one = run("1", {});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.err, HasSubstr("DSC_0424.JPG"));
  const ProgramEnd three = run("3", {});
  EXPECT_EQ(three.exit_code, 2);
  EXPECT_EQ(three.err, one.err);
  EXPECT_EQ(std::count(three.err.begin(), three.err.end(), '\n'), 1) << three.err;
  EXPECT_FALSE(fs::exists(folder / "out"));

  const ProgramEnd one_skips = run("1", {"--skip-bad-images"});
  EXPECT_EQ(one_skips.exit_code, 0) << one_skips.err;
  EXPECT_THAT(one_skips.err, AllOf(HasSubstr("Left out: "), HasSubstr("DSC_0424.JPG")));
  const ProgramEnd three_skip = run("3", {"--skip-bad-images"});
  EXPECT_EQ(three_skip.exit_code, 0) << three_skip.err;
  EXPECT_EQ(three_skip.err, one_skips.err);
  EXPECT_THAT(three_skip.out, HasSubstr("14 photos of 1 camera"));
}

TEST(Ranks, OneThatIsKilledEndsAllAndFewerGoOn) {
  if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun: ranks are threads";
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  Program program(run_of(out, {"-n", "100000", "--ranks", "3", "--checkpoint-every", "20"}));
  ASSERT_TRUE(program.says("step 1/"));
  while (!models::latest_checkpoint(out / "checkpoints")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  // The program that started them is there too, the oldest.
  const std::vector<pid_t> processes = ranks_of(out);
  ASSERT_EQ(processes.size(), 4U);
  kill(*std::max_element(processes.begin(), processes.end()), SIGKILL);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("was ended by signal 9"));
  EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
  EXPECT_TRUE(ranks_of(out).empty());
  const int64_t step = models::checkpoint_step(*models::latest_checkpoint(out / "checkpoints"));
  const ProgramEnd resumed = run_program({"reconstruct", "--resume", "-o", out.string(), "-n",
                                          std::to_string(step + 10), "--ranks", "2"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST(Ranks, FarMoreThanCoresAreRefused) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program(run_of(folder / "out", {"-n", "8", "--ranks", "1000"}));
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, AllOf(HasSubstr("--ranks"), HasSubstr("too many for this machine")));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

// Points at random, as a binary PLY of so many.
void write_points(const fs::path& path, int count) {
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_little_endian 1.0\nelement vertex " << count
       << "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  test::Random random(4);
  for (int i = 0; i < 3 * count; ++i) {
    const auto value = static_cast<float>(random.uniform(-1, 1));
    file.write(reinterpret_cast<const char*>(&value), sizeof(value));
  }
}

// One rank takes 0.48 GB for 400,000 Gaussians, beside 0.2 GB of libraries' addresses; a process
// may have 0.63 GB.
TEST(Ranks, ASceneThatOneRankHasNoRoomForTrainsOnFour) {
  if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun: ranks share one process and its limit";
  const TemporaryFolder folder;
  write_points(folder / "points.ply", 400'000);
  const auto run = [&](const char* ranks) {
    const std::vector<std::string> words = {"reconstruct", TESSERA_SAMPLE,
                                            "--init-ply",  (folder / "points.ply").string(),
                                            "-o",          (folder / "out").string(),
                                            "-r",          "8",
                                            "-n",          "3",
                                            "--eval",      "--threads",
                                            "1",           "--ranks",
                                            ranks};
    return Program(words, std::nullopt, std::nullopt, 630'000'000).wait();
  };
  const ProgramEnd one = run("1");
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.err, AllOf(HasSubstr("ulimit -v"), HasSubstr("--ranks ")));
  EXPECT_EQ(std::count(one.err.begin(), one.err.end(), '\n'), 1) << one.err;
  const ProgramEnd four = run("4");
  EXPECT_EQ(four.exit_code, 0) << four.err;
  EXPECT_THAT(four.out,
              AllOf(HasSubstr("1/4 of the first 400,000 Gaussians"), HasSubstr("Held out: PSNR")));
  EXPECT_EQ(assets::read_scene(folder / "out" / "scene.ply").cloud.size(), 400'000);
}

// 400,000 Gaussians of degree 3 in a file take 94 MB, and as much again as planes; a rank's share
// at degree 0 takes 6 MB of them. Beside 0.3 GB of libraries' and MPI's addresses and what training
// needs, a process may have 0.1 GB.
TEST(Ranks, AStartSceneIsNotReadWhole) {
  if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun: ranks share one process and its limit";
  const TemporaryFolder folder;
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(3, 400'000);
  test::Random random(4);
  for (int p = 0; p < core::kLogScalePlane + 3; ++p) {
    const double middle = p < core::kLogScalePlane ? 0 : -4;
    for (int64_t i = 0; i < scene.cloud.size(); ++i) {
      scene.cloud.plane(p)[i] = static_cast<float>(random.uniform(middle - 1, middle + 1));
    }
  }
  std::fill_n(scene.cloud.plane(core::kQuaternionPlane), scene.cloud.size(), 1.0F);
  assets::write_scene(folder / "scene.ply", scene);
  const std::vector<std::string> words = {"reconstruct", TESSERA_SAMPLE,
                                          "--init-ply",  (folder / "scene.ply").string(),
                                          "-o",          (folder / "out").string(),
                                          "-r",          "8",
                                          "-n",          "3",
                                          "--sh-degree", "0",
                                          "--threads",   "1",
                                          "--ranks",     "4"};
  const ProgramEnd end = Program(words, std::nullopt, std::nullopt, 440'000'000).wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("1/4 of the first 400,000 Gaussians"));
  EXPECT_EQ(assets::read_scene(folder / "out" / "scene.ply").cloud.size(), 400'000);
}

TEST(Ranks, AFaultIsToldOnceByTheRankThatMetIt) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({"reconstruct", (folder / "nothing").string(), "-o",
                                      (folder / "out").string(), "--ranks", "3"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("nothing"));
  EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
}

}  // namespace
}  // namespace tessera::test
