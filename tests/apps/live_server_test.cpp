// Those who watch a training and the one that is watched, over their socket.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <random>

#include "apps/live/live_training.h"
#include "core/timer.h"
#include "tests/support/live_steps.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using namespace apps;
using testing::Each;

constexpr double kLongest_s = 30;  // that anything is waited for before a test has failed

LiveNews wait_until(const LiveTraining& training,
                    const std::function<bool(const LiveNews&)>& holds) {
  const core::Timer timer;
  LiveNews news = training.news();
  while (!holds(news) && timer.seconds() < kLongest_s) news = training.wait(news.number, 1);
  EXPECT_TRUE(holds(news));
  return news;
}

LiveNews wait_for_state(const LiveTraining& training) {
  return wait_until(training, [](const LiveNews& news) { return news.state.has_value(); });
}

TEST(LiveView, TellsStateCurvesAndTheEnd) {
  const TemporaryFolder folder;
  auto steps = std::make_unique<LiveSteps>(folder.path(), 10);
  History history;
  history.samples = {{10, 0.5, 100, 0.25}, {20, 0.25, 200, 0.5}};
  steps->server().extend_curves(history);
  LiveTraining training(folder.path());
  LiveNews news = wait_until(
      training, [](const LiveNews& n) { return n.state.has_value() && n.state->step > 0; });
  EXPECT_TRUE(news.attached);
  EXPECT_EQ(news.state->phase, LivePhase::kTraining);
  EXPECT_EQ(news.state->steps, 1'000'000);
  EXPECT_EQ(news.state->gaussians, 10);
  EXPECT_GT(news.state->memory_bytes, uint64_t{1} << 20);
  EXPECT_LT(news.state->memory_bytes, uint64_t{1} << 34);
  ASSERT_EQ(news.curves->samples.size(), 2);
  EXPECT_EQ(news.curves->samples[1].gaussians, 200);

  history.samples.push_back({30, 0.125, 300, 0.75});
  history.tests.push_back({30, 25.5, 0.75});
  steps->server().extend_curves(history);
  news = wait_until(training, [](const LiveNews& n) { return !n.curves->tests.empty(); });
  ASSERT_EQ(news.curves->samples.size(), 3);
  ASSERT_EQ(news.curves->tests.size(), 1);
  EXPECT_EQ(news.curves->tests[0].psnr, 25.5);

  steps->server().set_phase(LivePhase::kDone);
  steps.reset();
  news = wait_until(training, [](const LiveNews& n) { return !n.attached; });
  EXPECT_EQ(news.state->phase, LivePhase::kDone);
  EXPECT_FALSE(fs::exists(folder / ".live"));
  EXPECT_FALSE(training.send(LiveCommand::kPause));

  // Another run in the same folder is found by itself.
  const LiveSteps next(folder.path(), 10);
  news = wait_until(training, [](const LiveNews& n) { return n.attached && n.state; });
  EXPECT_TRUE(news.curves->samples.empty());
}

TEST(LiveView, SaysThatARunFailedThatEndsWithoutAWord) {
  const TemporaryFolder folder;
  auto steps = std::make_unique<LiveSteps>(folder.path(), 10);
  const LiveTraining training(folder.path());
  wait_for_state(training);
  steps.reset();
  const LiveNews news = wait_until(training, [](const LiveNews& n) { return !n.attached; });
  EXPECT_EQ(news.state->phase, LivePhase::kFailed);
}

TEST(LiveView, HoldsStepsWhileItPauses) {
  const TemporaryFolder folder;
  const LiveSteps steps(folder.path(), 10);
  LiveTraining training(folder.path());
  wait_for_state(training);
  EXPECT_TRUE(training.send(LiveCommand::kPause));
  LiveNews news =
      wait_until(training, [](const LiveNews& n) { return n.state->phase == LivePhase::kPaused; });
  const int64_t at = steps.step();
  EXPECT_EQ(news.state->step, at);
  // It is seen all the same.
  training.wish({.count = 1});
  news = wait_until(training, [](const LiveNews& n) { return n.scene != nullptr; });
  EXPECT_EQ(news.scene->step, at);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(steps.step(), at);

  training.send(LiveCommand::kResume);
  wait_until(training, [&](const LiveNews& n) { return n.state->step > at; });
  training.send(LiveCommand::kPause);
  wait_until(training, [](const LiveNews& n) { return n.state->phase == LivePhase::kPaused; });
  training.send(LiveCommand::kStop);
  const core::Timer timer;
  while (!steps.stopped() && timer.seconds() < kLongest_s) std::this_thread::yield();
  EXPECT_TRUE(steps.stopped());
}

TEST(LiveView, CostsNoMoreThanTheShareThatWasWished) {
  const TemporaryFolder folder;
  LiveServer server(folder.path());
  LiveTraining training(folder.path());
  server.step_done({1, 100, 1, 0.5, 0}, 0);
  wait_for_state(training);
  training.wish({.count = 1000, .share = 0.5});
  constexpr double kCost_s = 0.05;
  int64_t given = 0;
  const core::Timer timer;
  while (given < 4 && timer.seconds() < kLongest_s) {
    if (unpacked(server.wishes().request).snapshot_degree < 0) continue;
    ++given;
    auto snapshot = server.spare_snapshot();
    snapshot->header.step = given;
    server.give(std::move(snapshot), kCost_s);
    server.step_done({1 + given, 100, 1, 0.5, 0}, 0);
  }
  EXPECT_EQ(given, 4);
  EXPECT_GE(timer.seconds(), 3 * kCost_s / 0.5);
}

TEST(LiveView, GivesOnlyWhatIsNewerThanWhatIsKnown) {
  const TemporaryFolder folder;
  const LiveSteps steps(folder.path(), 10);
  LiveTraining training(folder.path());
  wait_for_state(training);
  const int64_t from = steps.step() + 100;
  training.wish({.count = 1, .newer_than = from});
  const LiveNews news = wait_until(training, [](const LiveNews& n) { return n.scene != nullptr; });
  EXPECT_GT(news.scene->step, from);
}

TEST(LiveView, ReachesFoldersOfAnyNameAndReplacesASocketThatWasLeft) {
  const TemporaryFolder folder;
  fs::path deep = folder.path();
  for (int level = 0; level < 3; ++level) deep /= std::string(100, 'x');
  fs::create_directories(deep);
  EXPECT_EQ(is_training(deep), false);
  { const Descriptor killed = listen_in(deep); }
  EXPECT_TRUE(fs::exists(deep / ".live"));
  EXPECT_EQ(is_training(deep), false);
  const LiveSteps steps(deep, 10);
  struct stat found = {};
  ASSERT_EQ(stat((deep / ".live").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  EXPECT_TRUE(is_training(deep));
  const LiveTraining training(deep);
  EXPECT_TRUE(wait_for_state(training).attached);
}

TEST(LiveView, KeepsAFileThatIsNoSocket) {
  const TemporaryFolder folder;
  { std::ofstream(folder / ".live") << "mine"; }
  EXPECT_THROW(LiveServer{folder.path()}, core::IoError);
  EXPECT_EQ(fs::file_size(folder / ".live"), 4);
}

// Whoever wants snapshots and never takes one, hangs up in the middle of one, or sends what is no
// message: steps go on, and another one is served.
TEST(LiveView, DoesNotWaitForSlowDeadOrHostileWatchers) {
  const TemporaryFolder folder;
  const LiveSteps steps(folder.path(), 100'000);
  std::mt19937_64 random(5);
  const auto say = [](const Descriptor& to, const std::vector<std::byte>& bytes) {
    return send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  };
  const auto greeted = [&] {
    Descriptor socket = connect_to(folder.path());
    EXPECT_TRUE(say(socket, live_message(LiveMessage::kHello, LiveHello{})));
    return socket;
  };
  const Descriptor slow = greeted();
  EXPECT_TRUE(say(
      slow, live_message(LiveMessage::kSnapshots, LiveSnapshotWish{.count = 1000, .share = 1})));
  LiveTraining training(folder.path());
  wait_for_state(training);
  training.wish({.count = 1000, .share = 1, .sh_degree = 1});
  for (int trial = 0; trial < 60; ++trial) {
    const Descriptor other = greeted();
    if (trial % 3 == 0) {
      say(other, live_message(LiveMessage::kSnapshots, LiveSnapshotWish{.count = 9, .share = 1}));
      std::vector<std::byte> some(random() % 100'000);
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 10));
      [[maybe_unused]] const ssize_t got = recv(other.get(), some.data(), some.size(), 0);
      continue;  // and is gone
    }
    std::vector<std::byte> noise(random() % 300);
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
    if (trial % 3 == 1) noise.insert(noise.begin(), {std::byte{6}, std::byte{0}, std::byte{0}});
    say(other, noise);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 5));
  }
  const int64_t step = steps.step();
  const LiveNews news = wait_until(
      training, [&](const LiveNews& n) { return n.scene != nullptr && n.scene->step > step; });
  const core::GaussianCloud& cloud = news.scene->scene.cloud;
  EXPECT_EQ(cloud.sh_degree, 1);
  EXPECT_THAT(std::vector<float>(cloud.plane(3), cloud.plane(3) + cloud.size()),
              Each(static_cast<float>(news.scene->step)));
}

TEST(LiveView, RefusesATrainingThatTalksNonsense) {
  const TemporaryFolder folder;
  const Descriptor listening = listen_in(folder.path());
  const LiveTraining training(folder.path());
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 20; ++trial) {
    Descriptor other;
    const core::Timer timer;
    while (!other && timer.seconds() < kLongest_s) other = accept_from(listening);
    ASSERT_TRUE(other);
    std::vector<std::byte> bytes;
    if (trial % 2 == 0) bytes = live_message(LiveMessage::kHello, LiveHello{.version = 99});
    while (bytes.size() < 400) bytes.push_back(static_cast<std::byte>(random()));
    send(other.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    wait_until(training, [&](const LiveNews& news) {
      return !news.attached &&
             news.trouble.find(trial % 2 == 0 ? "version 99" : "no message") != std::string::npos;
    });
  }
  EXPECT_FALSE(training.news().state.has_value());
}

}  // namespace
}  // namespace tessera::test
