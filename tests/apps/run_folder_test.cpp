// A run's folder stands for its scene in every command that reads one.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "core/file_io.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::run_tessera;
using ::testing::HasSubstr;

class RunFolder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    ASSERT_EQ(
        run_tessera({"reconstruct", TESSERA_SAMPLE, "-o", run(), "-r", "8", "-n", "5", "--quiet"})
            .exit_code,
        kExitDone);
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string run() { return (*folder_ / "run").string(); }

  static test::TemporaryFolder* folder_;
  test::TemporaryFolder own_;
};
test::TemporaryFolder* RunFolder::folder_ = nullptr;

TEST_F(RunFolder, IsItsSceneToEveryCommand) {
  const Outcome inspect = run_tessera({"inspect", run(), "--json"});
  EXPECT_EQ(inspect.exit_code, kExitDone) << inspect.errors;
  EXPECT_EQ(nlohmann::json::parse(inspect.output)["kind"], "gaussians");
  const std::string splat = (own_ / "x.splat").string();
  EXPECT_EQ(run_tessera({"convert", run(), splat}).exit_code, kExitDone);
  EXPECT_TRUE(fs::exists(splat));
  const std::string picture = (own_ / "x.png").string();
  EXPECT_EQ(run_tessera({"render", run(), "-r", "40", "-o", picture}).exit_code, kExitDone);
  EXPECT_TRUE(fs::exists(picture));
  const Outcome eval = run_tessera({"eval", run(), TESSERA_SAMPLE, "-r", "8", "--json", "-"});
  EXPECT_EQ(eval.exit_code, kExitDone) << eval.errors;
  EXPECT_EQ(nlohmann::json::parse(eval.output)["scene"], run() + "/scene.ply");
}

TEST_F(RunFolder, IsNotAnyFolder) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"convert", own_.path().string(), (own_ / "x.splat").string()},
        {"render", own_.path().string(), "-o", (own_ / "x.png").string()},
        {"eval", own_.path().string(), TESSERA_SAMPLE}}) {
    const Outcome outcome = run_tessera(arguments);
    EXPECT_EQ(outcome.exit_code, kExitInputFault);
    EXPECT_THAT(outcome.errors, HasSubstr("is a folder without a scene.ply"));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1);
  }
}

}  // namespace
}  // namespace tessera::apps
