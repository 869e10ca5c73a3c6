// tessera convert: what it writes, what it refuses, and that it never spoils a file.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "apps/program.h"
#include "assets/io.h"
#include "core/file_io.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::run_tessera;
using ::testing::HasSubstr;

class ConvertTest : public ::testing::Test {
 protected:
  ConvertTest() {
    core::GaussianScene scene;
    scene.cloud = core::GaussianCloud(2, 100);
    for (int64_t i = 0; i < scene.cloud.size(); ++i) {
      scene.cloud.plane(core::kMeanPlane)[i] = static_cast<float>(i);
      scene.cloud.plane(core::kQuaternionPlane)[i] = 1;
    }
    assets::write_scene(input_, scene);
    before_ = core::read_text_file(input_);
  }

  Outcome convert(const fs::path& from, const fs::path& to, bool force = false) {
    std::vector<std::string> arguments = {"convert", from.string(), to.string()};
    if (force) arguments.emplace_back("--force");
    return run_tessera(arguments);
  }
  void expect_refused(const Outcome& outcome, const std::string& words) {
    EXPECT_EQ(outcome.exit_code, kExitInputFault);
    EXPECT_THAT(outcome.errors, HasSubstr(words));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1);
    EXPECT_EQ(core::read_text_file(input_), before_);
  }

  test::TemporaryFolder folder_;
  fs::path input_ = folder_ / "in.ply";
  std::string before_;
};

TEST_F(ConvertTest, WritesAndSaysWhatIsLost) {
  const Outcome outcome = convert(input_, folder_ / "out.splat");
  EXPECT_EQ(outcome.exit_code, kExitDone) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("out.splat: 100 Gaussians"));
  EXPECT_THAT(outcome.output, HasSubstr("lost: color that changes with the view"));
  EXPECT_EQ(assets::read_scene(folder_ / "out.splat").cloud.size(), 100);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"in.ply", "out.splat"}));
  const Outcome back = convert(folder_ / "out.splat", folder_ / "back.ply");
  EXPECT_EQ(back.exit_code, kExitDone);
  EXPECT_THAT(back.output, ::testing::Not(HasSubstr("lost")));
}

TEST_F(ConvertTest, TheInputIsNoOutputUnlessForced) {
  expect_refused(convert(input_, input_), "is the input too");
  fs::create_symlink("in.ply", folder_ / "link.ply");
  expect_refused(convert(input_, folder_ / "link.ply"), "is the input too");
  const Outcome forced = convert(input_, input_, true);
  EXPECT_EQ(forced.exit_code, kExitDone) << forced.errors;
  EXPECT_EQ(core::read_text_file(input_), before_);
}

TEST_F(ConvertTest, AnOutputThatExistsIsReplacedOnlyByForce) {
  core::write_file_atomically(folder_ / "out.ply", "precious");
  expect_refused(convert(input_, folder_ / "out.ply"), "exists; give another name, or --force");
  EXPECT_EQ(core::read_text_file(folder_ / "out.ply"), "precious");
  EXPECT_EQ(convert(input_, folder_ / "out.ply", true).exit_code, kExitDone);
  EXPECT_EQ(assets::read_scene(folder_ / "out.ply").cloud.size(), 100);
}

TEST_F(ConvertTest, WhatCannotBeWrittenIsRefusedBeforeTheInputIsRead) {
  expect_refused(convert(folder_ / "none.ply", folder_ / "out.spz"), "cannot be written");
  fs::create_directory(folder_ / "out.ply");
  expect_refused(convert(input_, folder_ / "out.ply"), "is a folder");
  expect_refused(convert(input_, folder_ / "no" / "out.ply"), "its folder does not exist");
  expect_refused(convert(folder_ / "none.ply", folder_ / "a.ply"), "there is no such file");
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"in.ply", "out.ply"}));
}

TEST_F(ConvertTest, AFullDiskLeavesNothingBehind) {
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 2000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Outcome outcome = convert(input_, folder_ / "out.splat");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  expect_refused(outcome, "no file larger than");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"in.ply"});
}

TEST_F(ConvertTest, FarCoordinatesKeepTheirOffsetInAFileBeside) {
  core::GaussianScene scene = assets::read_scene(input_);
  scene.origin_in_file[0] = 432100;
  assets::write_scene(folder_ / "far.ply", scene);
  fs::rename(folder_ / "far_offset.xyz", folder_ / "kept.xyz");
  core::write_file_atomically(folder_ / "out_offset.xyz", "precious");
  expect_refused(convert(folder_ / "far.ply", folder_ / "out.ply"),
                 "out_offset.xyz exists and holds another offset");
  EXPECT_EQ(core::read_text_file(folder_ / "out_offset.xyz"), "precious");
  const Outcome outcome = convert(folder_ / "far.ply", folder_ / "out.ply", true);
  EXPECT_THAT(outcome.output, HasSubstr("out_offset.xyz: the offset of the coordinates"));
  EXPECT_EQ(core::read_text_file(folder_ / "out_offset.xyz"), "432100 0 0\n");
  EXPECT_EQ(assets::read_scene(folder_ / "out.ply").origin_in_file[0], 432100);
}

TEST_F(ConvertTest, AnOffsetGoesThroughAFormatThatCannotHoldIt) {
  core::GaussianScene scene = assets::read_scene(input_);
  scene.origin_in_file[1] = 5012000.25;
  assets::write_scene(folder_ / "far.ply", scene);
  const Outcome there = convert(folder_ / "far.ply", folder_ / "far.splat");
  EXPECT_EQ(there.exit_code, kExitDone) << there.errors;
  const Outcome back = convert(folder_ / "far.splat", folder_ / "back.ply");
  EXPECT_THAT(back.output, HasSubstr("far_offset.xyz says"));
  EXPECT_EQ(assets::read_scene(folder_ / "back.ply").origin_in_file[1], 5012000.25);

  expect_refused(convert(input_, folder_ / "back.splat"), "holds another offset");
  const Outcome near = convert(input_, folder_ / "far.splat", true);
  EXPECT_EQ(near.exit_code, kExitDone) << near.errors;
  EXPECT_FALSE(fs::exists(folder_ / "far_offset.xyz"));
}

TEST_F(ConvertTest, PointsAreNoScene) {
  core::write_file_atomically(folder_ / "points.ply",
                              "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                              "property float y\nproperty float z\nend_header\n0 0 0\n");
  expect_refused(convert(folder_ / "points.ply", folder_ / "out.ply"),
                 "holds 1 point without extent");
}

}  // namespace
}  // namespace tessera::apps
