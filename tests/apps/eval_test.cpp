// `tessera eval` says what its figures are of, and refuses before the work what cannot be written.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "core/file_io.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"

namespace tessera::apps {
namespace {

using test::Outcome;
using test::run_tessera;
using ::testing::HasSubstr;
using ::testing::Not;

class EvalTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    for (const char* name : {"all", "some"}) {
      std::vector<std::string> words = {"reconstruct", TESSERA_SAMPLE, "-o", scene_of(name), "-r",
                                        "8",           "-n",           "5",  "--quiet"};
      if (std::string(name) == "some") words.insert(words.end(), {"--test-every", "4"});
      ASSERT_EQ(run_tessera(words).exit_code, kExitDone);
    }
  }
  static void TearDownTestSuite() { delete folder_; }
  // One run is a folder, the other a scene with its folder beside it.
  static std::string scene_of(const std::string& run) {
    return (*folder_ / (run == "some" ? "some.ply" : run)).string();
  }
  static Outcome eval(const std::string& run, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"eval", scene_of(run), TESSERA_SAMPLE});
    return run_tessera(more);
  }
  static nlohmann::json held_out(const std::string& run, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"-r", "8", "--json", "-"});
    return nlohmann::json::parse(eval(run, more).output)["held_out"];
  }

  static test::TemporaryFolder* folder_;
};
test::TemporaryFolder* EvalTest::folder_ = nullptr;

TEST_F(EvalTest, SaysIfTheSceneWasTrainedOnWhatIsMeasured) {
  const Outcome all = eval("all", {"-r", "8"});
  EXPECT_EQ(all.exit_code, kExitDone);
  EXPECT_THAT(all.errors, HasSubstr("no photos were held out"));
  EXPECT_EQ(std::count(all.errors.begin(), all.errors.end(), '\n'), 1) << all.errors;
  EXPECT_EQ(held_out("all"), false);

  EXPECT_EQ(eval("some", {"-r", "8", "--test-every", "4"}).errors, "");
  EXPECT_EQ(held_out("some", {"--test-every", "4"}), true);
  EXPECT_EQ(held_out("some", {"--test-every", "8"}), true);  // a part of those held out
  EXPECT_EQ(held_out("some", {"--test-every", "3"}), false);
  EXPECT_EQ(held_out("some", {"--all"}), false);
  EXPECT_THAT(eval("some", {"-r", "8", "--test-every", "3"}).errors,
              HasSubstr("trained on some of those measured"));
}

TEST_F(EvalTest, WithoutARecordNothingIsSaid) {
  std::filesystem::copy(scene_of("some"), *folder_ / "alone.ply");
  const Outcome outcome = run_tessera(
      {"eval", (*folder_ / "alone.ply").string(), TESSERA_SAMPLE, "-r", "8", "--json", "-"});
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(nlohmann::json::parse(outcome.output)["held_out"].is_null());
  std::filesystem::create_directory(*folder_ / "alone_run");
  core::write_file_atomically(*folder_ / "alone_run" / "run.json", R"({"settings": [1]})");
  EXPECT_EQ(
      run_tessera({"eval", (*folder_ / "alone.ply").string(), TESSERA_SAMPLE, "-r", "8"}).exit_code,
      kExitDone);
}

TEST_F(EvalTest, NamesBothResolutionsIfTheyDiffer) {
  EXPECT_THAT(eval("some", {"-r", "4", "--test-every", "4"}).output,
              HasSubstr("trained at --resolution 8, and is measured at --resolution 4"));
  EXPECT_THAT(eval("some", {"-r", "8", "--test-every", "4"}).output, Not(HasSubstr("trained at")));
}

TEST_F(EvalTest, MeasuresThroughTheLensWhereTheRunDid) {
  const std::filesystem::path capture = *folder_ / "lens";
  std::filesystem::create_directory(capture);
  std::filesystem::copy(std::string(TESSERA_SAMPLE) + "/images/DSC_0423.JPG", capture / "a.jpg");
  core::write_file_atomically(capture / "transforms.json", R"({"fl_x": 400, "k1": -0.2, "frames": [
    {"file_path": "a.jpg", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}]})");
  const auto width = [&](const char* camera) {
    const Outcome outcome = run_tessera(
        {"eval", scene_of("all"), capture.string(), "-r", "4", "--camera", camera, "--json", "-"});
    EXPECT_EQ(outcome.exit_code, kExitDone) << outcome.errors;
    return nlohmann::json::parse(outcome.output)["views"][0]["width"].get<int>();
  };
  EXPECT_EQ(width("native"), 125);
  EXPECT_GT(width("undistort"), 125) << "the picture grows to hold all that the lens saw";
  EXPECT_THAT(eval("all", {"-r", "8", "--camera", "native"}).output,
              HasSubstr("trained with --camera undistort, and is measured with --camera native"));
}

TEST_F(EvalTest, SaysOnceWhyThereIsNoMsSsim) {
  const std::string small = eval("all", {"-r", "8"}).output;
  const size_t first = small.find("MS-SSIM needs photos with at least 176 pixels");
  EXPECT_NE(first, std::string::npos) << small;
  EXPECT_EQ(small.find("MS-SSIM needs", first + 1), std::string::npos);
  EXPECT_THAT(eval("all", {"-r", "1"}).output, Not(HasSubstr("MS-SSIM needs")));
}

TEST_F(EvalTest, NeverWritesOverWhatItReads) {
  const std::filesystem::path scene = *folder_ / "all" / "scene.ply";
  const auto size = std::filesystem::file_size(scene);
  const Outcome outcome = eval("all", {"--json", scene.string()});
  EXPECT_EQ(outcome.exit_code, kExitInputFault);
  EXPECT_THAT(outcome.errors, HasSubstr("stays as it is"));
  EXPECT_EQ(std::filesystem::file_size(scene), size);
  // Beside it there is room, also a second time.
  const std::string figures = (*folder_ / "all" / "figures.json").string();
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(eval("all", {"-r", "8", "--json", figures}).exit_code, kExitDone);
  }
}

TEST_F(EvalTest, NeverWritesOverThePhotosOfACaptureThatIsAFile) {
  const std::filesystem::path capture = *folder_ / "as_file";
  std::filesystem::create_directories(capture / "images");
  std::filesystem::create_directories(*folder_ / "elsewhere");
  core::write_file_atomically(capture / "transforms.json", R"({"frames": []})");
  const std::filesystem::path photo = capture / "images" / "a.jpg";
  const std::filesystem::path other = *folder_ / "elsewhere" / "b.jpg";
  for (const std::filesystem::path& file : {photo, other}) {
    core::write_file_atomically(file, "a photo");
    const Outcome outcome =
        run_tessera({"eval", scene_of("all"), (capture / "transforms.json").string(), "--json",
                     file.string(), "--images", (*folder_ / "elsewhere").string()});
    EXPECT_EQ(outcome.exit_code, kExitInputFault);
    EXPECT_THAT(outcome.errors, HasSubstr("stays as it is"));
    EXPECT_EQ(core::read_text_file(file), "a photo");
    const Outcome log = run_tessera({"reconstruct", (capture / "transforms.json").string(), "-o",
                                     (*folder_ / "o").string(), "--json-log", file.string(),
                                     "--images", (*folder_ / "elsewhere").string()});
    EXPECT_EQ(log.exit_code, kExitInputFault);
    EXPECT_THAT(log.errors, HasSubstr("stays as it is"));
  }
}

TEST_F(EvalTest, RefusesFiguresThatCannotBeWrittenBeforeItReadsAScene) {
  const Outcome outcome = run_tessera(
      {"eval", "/no/such.ply", TESSERA_SAMPLE, "--json", (*folder_ / "no" / "x.json").string()});
  EXPECT_EQ(outcome.exit_code, kExitInputFault);
  EXPECT_THAT(outcome.errors, HasSubstr("x.json: cannot be written"));
}

}  // namespace
}  // namespace tessera::apps
