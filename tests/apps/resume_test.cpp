// Runs that stop, are stopped or are killed, and go on.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "assets/io.h"
#include "models/gaussian/checkpoint.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> run_of(const fs::path& out, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {
      "reconstruct", TESSERA_SAMPLE, "-o", out.string(),         "-r", "8", "--sh-degree",
      "1",           "--seed",       "5",  "--checkpoint-every", "50"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json settings_of(const fs::path& out) {
  return nlohmann::json::parse(text_of(out / "run.json"))["settings"];
}

// A run of 400 steps that was stopped by Ctrl-C somewhere in the middle.
class StoppedRun : public testing::Test {
 protected:
  void SetUp() override {
    Program program(run_of(out(), {"-n", "400"}));
    ASSERT_TRUE(program.says("step 1/400"));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    program.send(SIGINT);
    stopped_ = program.wait();
    const std::optional<fs::path> checkpoint = models::latest_checkpoint(out() / "checkpoints");
    ASSERT_TRUE(checkpoint.has_value());
    const std::string name = checkpoint->filename().string();
    step_ = std::stoll(name.substr(name.find('_') + 1));
  }
  fs::path out() const { return folder_ / "out"; }

  TemporaryFolder folder_;
  ProgramEnd stopped_;
  int64_t step_ = 0;
};

TEST_F(StoppedRun, SavesSaysHowToResumeAndLeavesBy130) {
  EXPECT_EQ(stopped_.exit_code, 130);
  EXPECT_THAT(stopped_.err, AllOf(HasSubstr("Stopped at step"), HasSubstr("--resume -o")));
  EXPECT_GT(assets::read_scene(out() / "scene.ply").cloud.size(), 0);
}

TEST(OneOutput, TakesOneRunAtATime) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  Program first(run_of(out, {"-n", "100000"}));
  ASSERT_TRUE(first.says("step 1/"));
  for (const char* how : {"--force", "--resume"}) {
    const ProgramEnd second = run_program(run_of(out, {how, "-n", "200000"}));
    EXPECT_EQ(second.exit_code, 2) << how;
    EXPECT_THAT(second.err, HasSubstr("another run is writing to")) << how;
  }
  first.send(SIGINT);
  EXPECT_EQ(first.wait().exit_code, 130);
  EXPECT_GT(assets::read_scene(out / "scene.ply").cloud.size(), 0);
  EXPECT_EQ(run_program(run_of(out, {"--force", "-n", "5"})).exit_code, 0);
}

// The limit stands for a full disk: a checkpoint of the sample takes 1.8 MB, its scene 0.7 MB.
TEST(FullDisk, TheSceneIsSavedWhereACheckpointDoesNotFit) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  Program program(run_of(out, {"-n", "30"}), 1'200'000);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("checkpoint_30"));
  EXPECT_EQ(assets::read_scene(out / "scene.ply").cloud.size(), 6364);
}

TEST_F(StoppedRun, GoesOnWithItsOwnOptionsToTheSameBits) {
  ASSERT_LT(step_, 400);
  const ProgramEnd resumed = run_program({"reconstruct", "--resume", "-o", out().string()});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, HasSubstr("step " + std::to_string(step_ + 1) + "/400"));
  EXPECT_THAT(resumed.out, HasSubstr("step 400/400"));
  EXPECT_EQ(settings_of(out())["sh-degree"], 1);
  EXPECT_EQ(settings_of(out())["seed"], 5);
  const fs::path whole = folder_ / "whole";
  ASSERT_EQ(run_program(run_of(whole, {"-n", "400", "--quiet"})).exit_code, 0);
  EXPECT_EQ(text_of(out() / "scene.ply"), text_of(whole / "scene.ply"));
}

TEST_F(StoppedRun, TotalOfStepsIsATotal) {
  const ProgramEnd resumed =
      run_program({"reconstruct", "--resume", "-o", out().string(), "-n", "450"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.out, AllOf(HasSubstr("step 450/450"), Not(HasSubstr("/850"))));
  // Time and time per step are those of all starts together.
  double seconds = 0;
  double milliseconds = 0;
  const size_t after = resumed.out.find("after 450 steps");
  ASSERT_NE(after, std::string::npos) << resumed.out;
  ASSERT_EQ(std::sscanf(resumed.out.c_str() + after, "after 450 steps in %lf s (%lf ms a step)",
                        &seconds, &milliseconds),
            2);
  const double rounding = 0.05 + 50.0 / 450;  // of a tenth of a second, or a whole one from 10 on
  EXPECT_NEAR(1e3 * seconds / 450, milliseconds, seconds < 10 ? rounding : 10 * rounding);
  // A run that reached its last step can be lengthened,
  const ProgramEnd longer =
      run_program({"reconstruct", "--resume", "-o", out().string(), "-n", "480"});
  ASSERT_EQ(longer.exit_code, 0) << longer.err;
  EXPECT_THAT(longer.out, HasSubstr("step 451/480"));
  // and says how if no longer one is asked for.
  const ProgramEnd done = run_program({"reconstruct", "--resume", "-o", out().string()});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("larger total"));
}

TEST_F(StoppedRun, ReportShowsTheWholeCommandOfTheRun) {
  ASSERT_EQ(run_program({"reconstruct", "--resume", "-o", out().string(), "-n", "410"}).exit_code,
            0);
  const std::string html = text_of(out() / "report.html");
  const size_t at = html.find("<pre>tessera reconstruct ");
  ASSERT_NE(at, std::string::npos);
  const std::string command = html.substr(at, html.find("</pre>", at) - at);
  EXPECT_EQ(command, "<pre>tessera reconstruct " + std::string(TESSERA_SAMPLE) + " --output " +
                         out().string() +
                         " --resolution 8 --iterations 410 --sh-degree 1 --seed 5 "
                         "--checkpoint-every 50 --force");
}

TEST_F(StoppedRun, OptionsThatWouldChangeTheResultAreRefused) {
  const ProgramEnd changed =
      run_program({"reconstruct", "--resume", "-o", out().string(), "--sh-degree", "2"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, AllOf(HasSubstr("--sh-degree"), HasSubstr("started with 1")));
}

TEST_F(StoppedRun, RefusedResumeChangesNothing) {
  const fs::path fewer = folder_ / "fewer";
  fs::create_directories(fewer);
  fs::copy(TESSERA_SAMPLE, fewer, fs::copy_options::recursive);
  ASSERT_TRUE(fs::remove(fewer / "images/DSC_0424.JPG"));
  std::map<std::string, std::string> before;
  for (const char* name : {"run.json", "log.txt", "history.json", "cfg_args", "cameras.json"}) {
    before[name] = text_of(out() / name);
  }
  const ProgramEnd refused =
      run_program({"reconstruct", fewer.string(), "-o", out().string(), "--resume", "-n", "500"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("photos that are not the"));
  for (const auto& [name, text] : before) EXPECT_EQ(text_of(out() / name), text) << name;
  const ProgramEnd right = run_program({"reconstruct", "-o", out().string(), "--resume"});
  EXPECT_EQ(right.exit_code, 0) << right.err;
}

TEST(Resume, SceneIsNoCheckpoint) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(run_of(folder / "x.ply", {"-n", "20", "--quiet"})).exit_code, 0);
  fs::remove_all(folder / "x_run");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"reconstruct", "--resume", "-o", (folder / "x.ply").string()},
        std::vector<std::string>{"reconstruct", "--resume", (folder / "x.ply").string(), "-o",
                                 (folder / "y").string()}}) {
    const ProgramEnd end = run_program(words);
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_THAT(end.err, AllOf(HasSubstr("no optimizer state"), HasSubstr("--init-ply")));
  }
  const ProgramEnd nothing =
      run_program({"reconstruct", "--resume", "-o", (folder / "z").string()});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("holds no run"));
}

TEST(Resume, SceneStartsANewRun) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(run_of(folder / "x.ply", {"-n", "20", "--quiet"})).exit_code, 0);
  const ProgramEnd end =
      run_program(run_of(folder / "y", {"-n", "20", "--init-ply", (folder / "x.ply").string()}));
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("Gaussians of"));
}

// A run of 120 steps with checkpoints at 100 and 120.
class DamagedCheckpoint : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_program(run_of(out(), {"-n", "120", "--quiet"})).exit_code, 0);
  }
  fs::path out() const { return folder_ / "out"; }
  fs::path file(int step, const std::string& name) const {
    return out() / "checkpoints" / ("checkpoint_" + std::to_string(step)) / name;
  }
  void damage(int step) const {
    std::fstream shard(file(step, "shard_000.bin"),
                       std::ios::in | std::ios::out | std::ios::binary);
    shard.seekp(1000);
    shard.put('?');
  }
  ProgramEnd resume(std::vector<std::string> more) const {
    more.insert(more.begin(), {"reconstruct", "-o", out().string()});
    return run_program(more);
  }

  TemporaryFolder folder_;
};

TEST_F(DamagedCheckpoint, IsNamedAndAnOlderOneIsTakenIfAskedFor) {
  const std::string scene = text_of(out() / "scene.ply");
  damage(120);
  const ProgramEnd refused = resume({"--resume", "-n", "140"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("checkpoint_120/shard_000.bin"), HasSubstr("checksum"),
                                 HasSubstr("checkpoint_100 is whole: --resume-from 100")));
  EXPECT_TRUE(fs::exists(file(120, "shard_000.bin"))) << "nothing is thrown away";
  const ProgramEnd older = resume({"--resume-from", "100"});
  ASSERT_EQ(older.exit_code, 0) << older.err;
  EXPECT_THAT(older.out, HasSubstr("step 101/120"));
  EXPECT_EQ(text_of(out() / "scene.ply"), scene);
  EXPECT_EQ(resume({"--resume", "-n", "125"}).exit_code, 0) << "the damaged one was replaced";
}

TEST_F(DamagedCheckpoint, WithAnEmptyManifestIsNamedToo) {
  fs::resize_file(file(120, "manifest.json"), 0);
  const ProgramEnd refused = resume({"--resume", "-n", "140"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("checkpoint_120/manifest.json"), HasSubstr("--resume-from 100")));
}

TEST_F(DamagedCheckpoint, WithoutAWholeOneBesideItLeavesANewStart) {
  damage(100);
  damage(120);
  const ProgramEnd refused = resume({"--resume", "-n", "140"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("checkpoint_120"), HasSubstr("--force"),
                                 Not(HasSubstr("--resume-from"))));
}

TEST_F(DamagedCheckpoint, StepsWithoutOneAreAnsweredWithThoseThatHave) {
  const ProgramEnd refused = resume({"--resume-from", "70"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("step 70"), HasSubstr("120, 100")));
}

TEST(Interrupt, SecondOneQuitsAtOnce) {
  const TemporaryFolder folder;
  Program program(run_of(folder / "out", {"-n", "100000"}));
  ASSERT_TRUE(program.says("step 1/"));
  program.send(SIGTERM);
  program.send(SIGINT);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 130);
}

TEST(Interrupt, SaysACommandThatAShellTakesAsItIs) {
  const TemporaryFolder folder;
  const std::string out = (folder / "a run's").string();
  Program program(run_of(out, {"-n", "100000"}));
  ASSERT_TRUE(program.says("step 1/"));
  program.send(SIGINT);
  const std::string said = program.wait().err;
  const size_t at = said.find("tessera reconstruct --resume");
  ASSERT_NE(at, std::string::npos) << said;
  std::ofstream(folder / "command.sh") << "set -- " << said.substr(at) << "printf %s \"$5\"\n";
  const std::string run =
      "sh " + (folder / "command.sh").string() + " > " + (folder / "word").string();
  ASSERT_EQ(std::system(run.c_str()), 0);
  EXPECT_EQ(text_of(folder / "word"), out);
}

TEST(Interrupt, TermSavesToo) {
  const TemporaryFolder folder;
  Program program(run_of(folder / "out", {"-n", "100000"}));
  ASSERT_TRUE(program.says("step 1/"));
  program.send(SIGTERM);
  EXPECT_EQ(program.wait().exit_code, 130);
  EXPECT_TRUE(models::latest_checkpoint(folder / "out/checkpoints").has_value());
}

TEST(Kill, OfARunThatReplacesAnotherLosesNothing) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  const fs::path aside = out / "replaced_run";
  ASSERT_EQ(run_program(run_of(out, {"-n", "20", "--quiet"})).exit_code, 0);
  std::map<std::string, std::string> before;
  for (const char* name : {"scene.ply", "cameras.json", "cfg_args", "report.html", "run.json"}) {
    before[name] = text_of(out / name);
  }
  for (int round = 0; round < 2; ++round) {  // what did not begin to save is not set aside itself
    Program program(run_of(out, {"-n", "100000", "--force", "--test-every", "4"}));
    ASSERT_TRUE(program.says("step 1/"));
    program.send(SIGKILL);
    program.wait();
    for (const char* name : {"scene.ply", "cameras.json", "cfg_args"}) {
      EXPECT_EQ(text_of(out / name), before[name]) << name;
    }
    for (const char* name : {"report.html", "run.json"}) {
      EXPECT_EQ(text_of(aside / name), before[name]) << name;
    }
    EXPECT_FALSE(fs::exists(out / "replaced_run_2"));
  }
  // The new run does not go on from the old one's checkpoints; the old one does.
  const ProgramEnd older =
      run_program({"reconstruct", "--resume", "-o", aside.string(), "-n", "22"});
  ASSERT_EQ(older.exit_code, 0) << older.err;
  EXPECT_THAT(older.out, HasSubstr("step 21/22"));
  const ProgramEnd newer = run_program({"reconstruct", "--resume", "-o", out.string(), "-n", "24"});
  ASSERT_EQ(newer.exit_code, 0) << newer.err;
  EXPECT_THAT(newer.out, HasSubstr("step 1/24"));
  EXPECT_FALSE(fs::exists(aside)) << "it is replaced now";
  EXPECT_NE(text_of(out / "cfg_args"), before["cfg_args"]);
}

TEST(Kill, AtAnyMomentLeavesWholeFilesAndARunThatGoesOn) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  const std::vector<std::string> first =
      run_of(out, {"-n", "100000", "--save-every", "20", "--checkpoint-every=20", "--quiet"});
  std::mt19937 random(7);
  int scenes_seen = 0;
  int64_t last_step = 0;
  for (int round = 0; round < 20; ++round) {
    Program program(round == 0 ? first
                               : std::vector<std::string>{"reconstruct", "--resume", "-o",
                                                          out.string(), "--quiet"});
    std::this_thread::sleep_for(std::chrono::milliseconds(
        round == 0 ? 1500 : std::uniform_int_distribution<int>(50, 900)(random)));
    program.send(SIGKILL);
    const ProgramEnd end = program.wait();
    ASSERT_EQ(end.signal, SIGKILL) << "it ended by itself: " << end.err;
    if (fs::exists(out / "scene.ply")) {
      EXPECT_GT(assets::read_scene(out / "scene.ply").cloud.size(), 0);
      ++scenes_seen;
    }
    for (const auto& entry : fs::recursive_directory_iterator(out)) {
      if (entry.path().filename() == "point_cloud.ply") {
        EXPECT_GT(assets::read_scene(entry.path()).cloud.size(), 0) << entry.path();
      }
    }
    if (const auto checkpoint = models::latest_checkpoint(out / "checkpoints")) {
      const int64_t step = models::read_checkpoint(*checkpoint).info.images_seen;
      EXPECT_GE(step, last_step) << "steps before the last checkpoint were lost";
      last_step = step;
    }
  }
  EXPECT_GT(scenes_seen, 0);
  EXPECT_GT(last_step, 0);
}

}  // namespace
}  // namespace tessera::test
