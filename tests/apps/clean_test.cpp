// tessera clean: what it removes, counts and refuses, and that what is right keeps its bytes.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

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

// A sheet of 20 x 20 balls a unit apart, one of them faint, one wide, one long, one far.
class CleanTest : public ::testing::Test {
 protected:
  CleanTest() {
    scene_.cloud = core::GaussianCloud(1, 400);
    core::GaussianCloud& cloud = scene_.cloud;
    for (int64_t i = 0; i < cloud.size(); ++i) {
      const int64_t row = i / 20;
      cloud.plane(0)[i] = static_cast<float>(i % 20);
      cloud.plane(1)[i] = static_cast<float>(row);
      for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] = -1;
      cloud.plane(core::kQuaternionPlane)[i] = 1;
      cloud.plane(core::kOpacityPlane)[i] = 1;
    }
    cloud.plane(core::kOpacityPlane)[10] = -6;
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[20] = std::log(30.0F);
    cloud.plane(core::kLogScalePlane)[30] = std::log(0.1F) + 5;
    for (int a = 1; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[30] = std::log(0.1F);
    cloud.plane(core::kMeanPlane + 2)[40] = 300;
    assets::write_scene(input_, scene_);
  }

  Outcome clean(std::vector<std::string> words) {
    words.insert(words.begin(), {"clean", input_.string()});
    return run_tessera(words);
  }
  nlohmann::json counts(std::vector<std::string> words) {
    words.insert(words.end(), {"--dry-run", "--json"});
    const Outcome outcome = clean(words);
    EXPECT_EQ(outcome.exit_code, kExitDone) << outcome.errors;
    nlohmann::json by_rule;
    const nlohmann::json json = nlohmann::json::parse(outcome.output);
    for (const nlohmann::json& rule : json["rules"]) by_rule[rule["name"]] = rule["removed"];
    by_rule["after"] = json["after"];
    return by_rule;
  }

  test::TemporaryFolder folder_;
  fs::path input_ = folder_ / "in.ply";
  core::GaussianScene scene_;
};

TEST_F(CleanTest, DefaultsRemoveWhatIsAstrayAndKeepTheBytesOfTheRest) {
  const Outcome outcome = clean({"-o", (folder_ / "out.ply").string()});
  ASSERT_EQ(outcome.exit_code, kExitDone) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("of 400: 1 %"));
  EXPECT_THAT(outcome.output, HasSubstr("out.ply: 396 Gaussians"));
  const core::GaussianScene written = assets::read_scene(folder_ / "out.ply");
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < 400; ++i) {
    if (i != 10 && i != 20 && i != 30 && i != 40) kept.push_back(i);
  }
  EXPECT_EQ(written.cloud.parameters, core::part_of(scene_.cloud, kept).parameters);
}

TEST_F(CleanTest, ADryRunCountsByRuleAndWritesNothing) {
  const nlohmann::json found = counts({});
  EXPECT_EQ(found["opacity"], 1);
  EXPECT_EQ(found["size"], 2);
  EXPECT_EQ(found["needle"], 1);
  EXPECT_EQ(found["isolated"], 1);
  EXPECT_EQ(found["broken"], 0);
  EXPECT_FALSE(found.contains("views"));
  EXPECT_EQ(found["after"], 396);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"in.ply"});
}

TEST_F(CleanTest, ThresholdsAreGivenOrOff) {
  EXPECT_FALSE(counts({"--opacity", "off"}).contains("opacity"));
  EXPECT_EQ(counts({"--opacity", "0.8"})["opacity"], 400);
  EXPECT_EQ(counts({"--size", "2.5"})["size"], 0);
  EXPECT_EQ(counts({"--needle", "200"})["needle"], 0);
  const nlohmann::json box = counts({"--box", "-0.5,-0.5,-1,9.5,19.5,1"});
  EXPECT_EQ(box["place"], 201);
  // Half of the sheet and the far one, and the wide one, which is inside.
  EXPECT_EQ(box["after"], 400 - 201 - 1);
  EXPECT_EQ(counts({"--sphere", "0,0,0,1.5"})["after"], 3);
}

TEST_F(CleanTest, CamerasOfACaptureSayWhatNobodySaw) {
  input_ = folder_ / "seen.ply";
  for (int64_t i = 0; i < 400; ++i) {
    // Around what the photos show, and half of it behind everyone.
    scene_.cloud.plane(2)[i] = i < 200 ? 3 : -300;
    scene_.cloud.plane(0)[i] = 0.01F * static_cast<float>(i % 20) - 2.5F;
    const int64_t row = i / 20;
    scene_.cloud.plane(1)[i] = 0.01F * static_cast<float>(row);
    for (int a = 0; a < 3; ++a) scene_.cloud.plane(core::kLogScalePlane + a)[i] = -5;
    scene_.cloud.plane(core::kOpacityPlane)[i] = 1;
  }
  assets::write_scene(input_, scene_);
  EXPECT_EQ(counts({"--capture", TESSERA_SAMPLE})["views"], 200);
  const Outcome refused = clean({"--views", "2", "--dry-run"});
  EXPECT_EQ(refused.exit_code, kExitInputFault);
  EXPECT_THAT(refused.errors, HasSubstr("asks for cameras; give --capture"));
}

TEST_F(CleanTest, CoordinatesAreTheFiles) {
  scene_.origin_in_file[0] = 432100;
  input_ = folder_ / "far.ply";
  assets::write_scene(input_, scene_);
  EXPECT_EQ(counts({"--box", "432099.5,-0.5,-1,432109.5,19.5,1"})["place"], 201);
  const Outcome outcome = clean({"-o", (folder_ / "out.splat").string()});
  ASSERT_EQ(outcome.exit_code, kExitDone) << outcome.errors;
  EXPECT_EQ(core::read_text_file(folder_ / "out_offset.xyz"), "432100 0 0\n");
  EXPECT_THAT(outcome.output, HasSubstr("lost: color that changes with the view"));
}

TEST_F(CleanTest, WhatCannotBeMeantIsRefusedAndWritesNothing) {
  const std::string out = (folder_ / "out.ply").string();
  const std::pair<std::vector<std::string>, const char*> kRefused[] = {
      {{}, "--dry-run only counts"},
      {{"-o", input_.string()}, "is the input too"},
      {{"-o", (folder_ / "out.spz").string()}, "cannot be written"},
      {{"-o", out, "--opacity", "much"}, "a number of at least 0, or off"},
      {{"-o", out, "--opacity", "-1"}, "a number of at least 0, or off"},
      {{"-o", out, "--box", "1,2,3"}, "takes six numbers"},
      {{"-o", out, "--box", "1,0,0,0,1,1"}, "the low corner, then the high one"},
      {{"-o", out, "--sphere", "0,0,0,0"}, "a radius above 0"},
      {{"-o", out, "--opacity", "1"}, "all of its Gaussians would go"},
  };
  for (const auto& [words, sentence] : kRefused) {
    const Outcome outcome = clean(words);
    EXPECT_EQ(outcome.exit_code, kExitInputFault) << sentence;
    EXPECT_THAT(outcome.errors, HasSubstr(sentence));
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"in.ply"});
  }
}

TEST_F(CleanTest, HelpFitsATerminal) {
  const Outcome outcome = run_tessera({"clean", "--help"});
  EXPECT_LE(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 24);
}

}  // namespace
}  // namespace tessera::apps
