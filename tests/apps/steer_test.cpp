// Trainings as users run them, watched and steered from other processes.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>

#include "apps/live/detached_process.h"
#include "apps/live/live_training.h"
#include "assets/io.h"
#include "core/timer.h"
#include "tests/support/program.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using namespace apps;
using testing::AllOf;
using testing::HasSubstr;

constexpr double kLongest_s = 60;  // that anything is waited for before a test has failed

std::vector<std::string> run_of(const fs::path& out, std::vector<std::string> more) {
  std::vector<std::string> words = {"reconstruct", TESSERA_SAMPLE, "-o", out.string(), "-r",
                                    "8",           "--sh-degree",  "1",  "--seed",     "5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

LiveNews wait_until(const LiveTraining& training,
                    const std::function<bool(const LiveNews&)>& holds) {
  const core::Timer timer;
  LiveNews news = training.news();
  while (!holds(news) && timer.seconds() < kLongest_s) news = training.wait(news.number, 1);
  EXPECT_TRUE(holds(news));
  return news;
}

LiveNews wait_for_step(const LiveTraining& training, int64_t step) {
  return wait_until(
      training, [&](const LiveNews& n) { return n.state.has_value() && n.state->step >= step; });
}

bool is_paused(const LiveNews& news) {
  return news.state->phase == LivePhase::kPaused;
}

void expect_same_files(const fs::path& a, const fs::path& b) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(a)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), a);
    EXPECT_TRUE(text_of(a / name) == text_of(b / name)) << name;
  }
}

TEST(SteeredRun, GivesTheBytesOfOneThatIsLeftAlone) {
  const TemporaryFolder folder;
  const fs::path alone = folder / "alone";
  const fs::path watched = folder / "watched";
  ASSERT_EQ(run_program(run_of(alone, {"-n", "1500"})).exit_code, 0);

  Program program(run_of(watched, {"-n", "1500"}));
  LiveTraining training(watched);
  training.wish({.count = 1'000'000, .share = 1, .sh_degree = 1});
  wait_for_step(training, 1);
  // Others watch, and are killed at moments that nobody chose.
  std::mt19937 random(1);
  for (int trial = 0; trial < 8; ++trial) {
    const std::vector<std::string> words =
        trial % 2 == 0 ? std::vector<std::string>{"steer", watched.string(), "--follow"}
                       : std::vector<std::string>{"steer", watched.string(), "--snapshot",
                                                  (folder / "killed.ply").string(), "--force"};
    const Program other(words);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
    training.send(trial % 2 == 0 ? LiveCommand::kPause : LiveCommand::kResume);
    if (trial == 3) training.send(LiveCommand::kSave);
  }
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, AllOf(HasSubstr("Paused after step"), HasSubstr("Going on after step")));
  const LiveNews news = wait_until(training, [](const LiveNews& n) { return !n.attached; });
  EXPECT_EQ(news.state->phase, LivePhase::kDone);
  EXPECT_EQ(news.state->step, 1500);
  ASSERT_NE(news.scene, nullptr);
  EXPECT_TRUE(text_of(alone / "scene.ply") == text_of(watched / "scene.ply"));
  expect_same_files(alone / "checkpoints" / "checkpoint_1500",
                    watched / "checkpoints" / "checkpoint_1500");
}

// Either way, and while it pauses: the checkpoint is that of the step at which it paused.
TEST(SteeredRun, ThatIsStoppedLeavesWhatCtrlCLeaves) {
  for (const bool by_signal : {true, false}) {
    const TemporaryFolder folder;
    const fs::path out = folder / "out";
    Program program(run_of(out, {"-n", "100000"}));
    LiveTraining training(out);
    wait_for_step(training, 20);
    training.send(LiveCommand::kPause);
    const int64_t step = wait_until(training, is_paused).state->step;
    training.send(LiveCommand::kSave);
    LiveNews news = wait_until(training, [](const LiveNews& n) { return n.state->saves == 1; });
    EXPECT_EQ(news.state->saved_at, step);
    const fs::path checkpoint = out / "checkpoints" / ("checkpoint_" + std::to_string(step));
    const fs::path saved = folder / "saved";
    fs::rename(checkpoint, saved);

    if (by_signal) {
      program.send(SIGINT);
    } else {
      training.send(LiveCommand::kStop);
    }
    const ProgramEnd stopped = program.wait();
    EXPECT_EQ(stopped.exit_code, 130);
    EXPECT_THAT(stopped.err, AllOf(HasSubstr("Stopped at step"), HasSubstr("--resume -o")));
    news = wait_until(training, [](const LiveNews& n) { return !n.attached; });
    EXPECT_EQ(news.state->phase, LivePhase::kStopped);
    expect_same_files(saved, checkpoint);
    EXPECT_EQ(
        run_program({"reconstruct", "--resume", "-o", out.string(), "-n", std::to_string(step + 5)})
            .exit_code,
        0);
  }
}

// Its Gaussians in an order of their own.
using Rows = std::vector<std::vector<float>>;
Rows sorted_rows(const core::GaussianCloud& cloud) {
  Rows rows(cloud.size());
  for (int64_t i = 0; i < cloud.size(); ++i) {
    for (int p = 0; p < cloud.parameters.plane_count(); ++p) rows[i].push_back(cloud.plane(p)[i]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// As processes, and as threads where mpirun is not found.
TEST(SteeredRun, OnRanksIsSeenWholeAndEachRanksShare) {
  for (const bool by_threads : {false, true}) {
    const TemporaryFolder folder;
    const fs::path out = folder / "out";
    Program program(run_of(out, {"-n", "100000", "--ranks", "2", "--threads", "1"}), std::nullopt,
                    by_threads ? std::optional<std::string>("/nowhere") : std::nullopt);
    LiveTraining training(out);
    wait_for_step(training, 20);
    training.send(LiveCommand::kPause);
    const int64_t step = wait_until(training, is_paused).state->step;
    training.send(LiveCommand::kSave);
    training.wish({.count = 1, .sh_degree = 4});
    LiveNews news = wait_until(training, [](const LiveNews& n) {
      return n.state->saves == 1 && n.scene != nullptr && n.ranks.size() == 2 &&
             n.ranks[1].gaussians > 0;
    });
    EXPECT_EQ(news.state->step, step);
    EXPECT_EQ(news.scene->step, step);
    // A reader gives quaternions of length 1, so both are read.
    assets::write_scene(folder / "seen.ply", news.scene->scene);
    EXPECT_TRUE(sorted_rows(assets::read_scene(folder / "seen.ply").cloud) ==
                sorted_rows(assets::read_scene(out / "scene.ply").cloud));
    for (uint16_t rank = 0; rank < 2; ++rank) {
      EXPECT_EQ(std::count(news.scene->owners.begin(), news.scene->owners.end(), rank),
                news.ranks[rank].gaussians);
      EXPECT_GT(news.ranks[rank].bytes_sent, 1000);
      EXPECT_GT(news.ranks[rank].worked_s + news.ranks[rank].waited_s, 0);
    }
    // It goes on, and stops where it is asked to.
    training.send(LiveCommand::kResume);
    wait_for_step(training, step + 1);
    training.send(LiveCommand::kStop);
    EXPECT_EQ(program.wait().exit_code, 130);
    news = wait_until(training, [](const LiveNews& n) { return !n.attached; });
    EXPECT_EQ(news.state->phase, LivePhase::kStopped);
  }
}

TEST(Steer, SaysHowFarATrainingIsAndSteersIt) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out.ply";  // a run's folder beside its scene is found, too
  Program program(run_of(out, {"-n", "100000", "--eval", "--test-iterations", "10"}));
  ASSERT_TRUE(program.says("Step 10: PSNR"));
  const auto steer = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"steer", out.string()});
    return run_tessera(words);
  };
  Outcome outcome = steer({"--pause"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("paused: step "), HasSubstr(" of 100,000 | "),
                                    HasSubstr("PSNR"), HasSubstr("dB at step 10 |")));
  // But for the memory at its end, which may be another a moment later.
  const auto state = [&](std::vector<std::string> words) {
    const std::string line = steer(std::move(words)).output;
    return line.substr(0, line.rfind(" | "));
  };
  EXPECT_EQ(state({}), state({"--status"}));
  EXPECT_EQ(steer({"--snapshot", (folder / "now.ply").string()}).exit_code, 0);
  outcome = steer({"--save"});
  EXPECT_THAT(outcome.output, HasSubstr("| saved at step "));
  const core::GaussianCloud now = assets::read_scene(folder / "now.ply").cloud;
  EXPECT_TRUE(now.parameters == assets::read_scene(out).cloud.parameters);

  outcome = steer({"--snapshot", (folder / "now.ply").string()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("--force"));
  outcome = steer({"--stop", "--save"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("one wish at a time"));

  EXPECT_THAT(steer({"--resume"}).output, HasSubstr("training: step "));
  outcome = steer({"--stop"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("stopped: step "));
  EXPECT_EQ(program.wait().exit_code, 130);
  outcome = steer({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("no training runs in"));
}

// Its exit code; the test fails if it does not end.
int end_of(DetachedProcess& process) {
  const core::Timer timer;
  while (!process.exit_code() && timer.seconds() < kLongest_s) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return process.exit_code().value_or(-1);
}

TEST(StartedTraining, RunsByItselfAndTellsWhatItPrints) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  const std::vector<std::string> good = {TESSERA_SAMPLE, "-r", "8", "-n", "100000"};
  DetachedProcess refused = start_training(TESSERA_PROGRAM, {"no/such/capture"}, out);
  EXPECT_EQ(end_of(refused), 2);
  EXPECT_THAT(text_of(out / "console.txt"), HasSubstr("no/such/capture"));

  // What the refused one printed is no reason to refuse another.
  DetachedProcess process = start_training(TESSERA_PROGRAM, good, out);
  LiveTraining training(out);
  wait_for_step(training, 5);
  EXPECT_FALSE(process.exit_code().has_value());
  // In a session of its own it hears of no terminal.
  const std::string stat = text_of("/proc/" + std::to_string(process.id()) + "/stat");
  EXPECT_THAT(stat.substr(stat.rfind(')')), HasSubstr(" " + std::to_string(process.id()) + " "));
  training.send(LiveCommand::kStop);
  EXPECT_EQ(end_of(process), 130);
  EXPECT_THAT(text_of(out / "console.txt"), HasSubstr("Stopped at step"));
}

// Programs stand in for the viewer.
class Viewer : public testing::Test {
 protected:
  void SetUp() override { fs::copy(TESSERA_PROGRAM, folder_ / "tessera"); }
  void make_viewer(const std::string& script) {
    std::ofstream(folder_ / "tessera-viewer") << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_ / "tessera-viewer", fs::perms::owner_all);
  }
  int run(std::vector<std::string> more) {
    std::vector<std::string> words = run_of(folder_ / "out", std::move(more));
    words.insert(words.begin(), (folder_ / "tessera").string());
    words.emplace_back("--viewer");
    DetachedProcess process(words, folder_ / "said");
    return end_of(process);
  }

  TemporaryFolder folder_;
};

TEST_F(Viewer, ThatIsNotBuiltIsMissedBeforeTheRunBegins) {
  EXPECT_EQ(run({"-n", "10"}), 2);
  EXPECT_THAT(text_of(folder_ / "said"),
              AllOf(HasSubstr("tessera-viewer, which was not built"), HasSubstr("tessera steer")));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Viewer, IsToldWhereTheRunIsAndOutlivesIt) {
  make_viewer("echo $0 $*\necho $$ >$2.pid.tmp\nmv $2.pid.tmp $2.pid\nexec sleep 1000");
  const fs::path out = folder_ / "out";
  const fs::path pid = folder_ / "out.pid";
  std::string said;
  for (const char* ranks : {"1", "2"}) {
    EXPECT_EQ(run({"-n", "10", "--force", "--ranks", ranks}), 0) << text_of(folder_ / "said");
    const core::Timer timer;
    while (!fs::exists(pid) && timer.seconds() < kLongest_s) std::this_thread::yield();
    said += (folder_ / "tessera-viewer").string() + " --attach " + out.string() + "\n";
    EXPECT_EQ(text_of(out / "console.txt"), said);
    EXPECT_EQ(kill(std::stoi(text_of(pid)), SIGKILL), 0);
    fs::remove(pid);
  }
}

TEST_F(Viewer, ThatFailsDoesNotEndTheRun) {
  make_viewer("echo no display; exit 3");
  EXPECT_EQ(run({"-n", "2000"}), 0);
  EXPECT_THAT(text_of(folder_ / "said"), HasSubstr("tessera-viewer ended by exit code 3"));
  EXPECT_EQ(text_of(folder_ / "out" / "console.txt"), "no display\n");
}

}  // namespace
}  // namespace tessera::test
