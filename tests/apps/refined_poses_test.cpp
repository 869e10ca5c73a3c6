// Poses that --pose-opt refined go with the scene: into cameras.json, and from there into what is
// drawn and measured.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "core/file_io.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;
using test::run_tessera;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kHeldOut = 0, kTrained = 1;  // DSC_0423 and DSC_0424

class RefinedPoses : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    for (const std::string name : {"refined", "saved_once", "plain"}) {
      std::vector<std::string> words = {"reconstruct", TESSERA_SAMPLE, "-o",     run(name),
                                        "-n",          "30",           "--eval", "--quiet"};
      if (name != "plain") words.emplace_back("--pose-opt");
      if (name == "refined") words.insert(words.end(), {"--save-iterations", "10"});
      ASSERT_EQ(run_tessera(words).exit_code, kExitDone);
    }
    // The same scene, of which nothing is known.
    fs::copy(fs::path(run("refined")) / "scene.ply", *folder_ / "alone.ply");
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string run(const std::string& name) { return (*folder_ / name).string(); }
  static json cameras(const std::string& name) {
    return json::parse(core::read_text_file(fs::path(run(name)) / "cameras.json"));
  }
  static std::string picture(std::vector<std::string> words) {
    const fs::path file = *folder_ / "x.png";
    words.insert(words.begin(), "render");
    words.insert(words.end(), {"-o", file.string(), "--force", "--quiet"});
    const Outcome outcome = run_tessera(words);
    EXPECT_EQ(outcome.exit_code, kExitDone) << outcome.errors;
    return core::read_text_file(file);
  }

  static test::TemporaryFolder* folder_;
};
test::TemporaryFolder* RefinedPoses::folder_ = nullptr;

TEST_F(RefinedPoses, StandInCamerasJson) {
  const json refined = cameras("refined");
  const json plain = cameras("plain");
  EXPECT_EQ(refined[kHeldOut]["position"], plain[kHeldOut]["position"]);
  EXPECT_EQ(refined[kHeldOut]["rotation"], plain[kHeldOut]["rotation"]);
  EXPECT_NE(refined[kTrained]["rotation"], plain[kTrained]["rotation"]);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(refined[kTrained]["position"][axis].get<double>(),
                plain[kTrained]["position"][axis].get<double>(), 1e-2);
  }
}

TEST_F(RefinedPoses, AreThoseOfTheSceneThatWasSavedLast) {
  EXPECT_EQ(cameras("refined"), cameras("saved_once"));
}

TEST_F(RefinedPoses, AreDrawnFrom) {
  const fs::path path = *folder_ / "path.json";
  core::write_file_atomically(path, json::array({cameras("refined")[kTrained]}).dump());
  const std::string expected = picture({run("refined"), "--path", path.string()});
  const auto photographed = [](const std::string& scene) {
    return picture({scene, "--capture", TESSERA_SAMPLE, "--camera", "DSC_0424"});
  };
  EXPECT_EQ(photographed(run("refined")), expected);
  EXPECT_NE(photographed(run("alone.ply")), expected);
}

TEST_F(RefinedPoses, AreMeasuredFrom) {
  const auto psnr = [](const std::string& scene, int photo) {
    const Outcome outcome =
        run_tessera({"eval", scene, TESSERA_SAMPLE, "--all", "-r", "4", "--json", "-"});
    return json::parse(outcome.output)["views"][photo]["psnr"].get<double>();
  };
  EXPECT_NE(psnr(run("refined"), kTrained), psnr(run("alone.ply"), kTrained));
  EXPECT_NEAR(psnr(run("refined"), kHeldOut), psnr(run("alone.ply"), kHeldOut), 1e-6);
  EXPECT_THAT(run_tessera({"eval", run("refined"), TESSERA_SAMPLE, "-r", "8"}).output,
              HasSubstr("the poses that its run refined"));
  EXPECT_THAT(run_tessera({"eval", run("plain"), TESSERA_SAMPLE, "-r", "8"}).output,
              Not(HasSubstr("refined")));
}

}  // namespace
}  // namespace tessera::apps
