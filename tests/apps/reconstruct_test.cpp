// `tessera reconstruct` end to end on the sample capture, and what stands in its output.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assets/io.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

Json json_of(const fs::path& path) {
  return Json::parse(text_of(path));
}

// Shared by the tests below: 80 steps at an eighth of the sample's size.
class ReconstructTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    end_ =
        new ProgramEnd(run_program({"reconstruct", TESSERA_SAMPLE, "-o", out().string(), "-r", "4",
                                    "-n", "80", "--eval", "--save-iterations", "40", "--json-log",
                                    (folder_->path() / "log.jsonl").string(), "--profile"}));
  }
  static void TearDownTestSuite() {
    delete end_;
    delete folder_;
  }
  static fs::path out() { return folder_->path() / "out"; }
  static const ProgramEnd& end() { return *end_; }

  static TemporaryFolder* folder_;
  static ProgramEnd* end_;
};
TemporaryFolder* ReconstructTest::folder_ = nullptr;
ProgramEnd* ReconstructTest::end_ = nullptr;

TEST_F(ReconstructTest, SaysWhatItUnderstoodAndWhatItMade) {
  ASSERT_EQ(end().exit_code, 0) << end().err;
  EXPECT_EQ(end().err, "");
  EXPECT_THAT(end().out, HasSubstr("COLMAP: 15 photos of 1 camera (125x83, 2 held out), 6,364 "
                                   "points"));
  EXPECT_THAT(end().out, AllOf(HasSubstr("of memory"), HasSubstr("step 1/80"),
                               HasSubstr("step 80/80"), HasSubstr("Held out: PSNR"),
                               HasSubstr("peak memory"), HasSubstr("report.html")));
  EXPECT_THAT(end().out, Not(HasSubstr("\r"))) << "a bar was drawn on a pipe";
}

TEST_F(ReconstructTest, FolderOpensInOtherPrograms) {
  const Json cameras = json_of(out() / "cameras.json");
  ASSERT_EQ(cameras.size(), 15U);
  EXPECT_EQ(cameras[0]["img_name"], "DSC_0423.JPG");
  EXPECT_EQ(cameras[0]["width"], 125);
  EXPECT_EQ(cameras[0]["rotation"].size(), 3U);
  EXPECT_THAT(text_of(out() / "cfg_args"), HasSubstr("sh_degree=3"));
  EXPECT_EQ(assets::read_points(out() / "input.ply").points.size(), 6364U);
  for (const char* scene : {"scene.ply", "point_cloud/iteration_40/point_cloud.ply",
                            "point_cloud/iteration_80/point_cloud.ply"}) {
    const core::GaussianScene read = assets::read_scene(out() / scene);
    EXPECT_GT(read.cloud.size(), 6000) << scene;
    EXPECT_EQ(read.cloud.sh_degree, 3) << scene;
  }
  EXPECT_EQ(text_of(out() / "scene.ply"),
            text_of(out() / "point_cloud/iteration_80/point_cloud.ply"));
}

TEST_F(ReconstructTest, FiguresAgreeWithTheEvalCommand) {
  const Json mean = json_of(out() / "results.json")["ours_80"];
  EXPECT_GT(mean["PSNR"].get<double>(), 15);
  const Json per_view = json_of(out() / "per_view.json")["ours_80"]["PSNR"];
  ASSERT_EQ(per_view.size(), 2U);
  EXPECT_TRUE(per_view.contains("DSC_0423.JPG") && per_view.contains("DSC_0431.JPG"));
  const ProgramEnd eval = run_program(
      {"eval", (out() / "scene.ply").string(), TESSERA_SAMPLE, "-r", "4", "--json", "-"});
  ASSERT_EQ(eval.exit_code, 0) << eval.err;
  const Json measured = Json::parse(eval.out);
  // The file's degree of SH is the cloud's, of which 80 steps trained degree 0 alone: the same
  // picture. Quaternions are normalized on writing.
  EXPECT_NEAR(measured["psnr"].get<double>(), mean["PSNR"].get<double>(), 1e-3);
  EXPECT_NEAR(measured["ssim"].get<double>(), mean["SSIM"].get<double>(), 1e-5);
}

TEST_F(ReconstructTest, ReportNeedsNoNetwork) {
  const std::string html = text_of(out() / "report.html");
  EXPECT_THAT(html, AllOf(HasSubstr("DSC_0423.JPG"), HasSubstr("data:image/jpeg;base64,"),
                          HasSubstr("<svg"), HasSubstr("sh-degree")));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")),
                          Not(HasSubstr("src=\"/")), Not(HasSubstr("@import"))));
  EXPECT_THAT(html, HasSubstr("PSNR, held out"));
}

TEST_F(ReconstructTest, RecordHoldsSettingsVersionsMachineAndFigures) {
  const Json record = json_of(out() / "run.json");
  EXPECT_EQ(record["settings"]["iterations"], 80);
  EXPECT_EQ(record["settings"]["seed"], 0);
  EXPECT_EQ(record["settings"]["ssim-weight"], 0.2);
  EXPECT_TRUE(record["versions"].contains("tessera"));
  EXPECT_GT(record["machine"]["cores"].get<int>(), 0);
  EXPECT_EQ(record["figures"]["steps"], 80);
  EXPECT_GT(record["figures"]["peak_memory_bytes"].get<double>(), 1e7);
  EXPECT_THAT(record["command"].get<std::string>(), HasSubstr("tessera reconstruct"));
}

TEST_F(ReconstructTest, JsonLogIsOneObjectALine) {
  std::istringstream lines(text_of(folder_->path() / "log.jsonl"));
  std::set<std::string> events;
  int64_t last_step = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    events.insert(event["event"]);
    if (event["event"] == "step") {
      EXPECT_GT(event["step"].get<int64_t>(), last_step);
      last_step = event["step"];
      EXPECT_TRUE(std::isfinite(event["loss"].get<double>()));
    }
  }
  EXPECT_EQ(last_step, 80);
  for (const char* name : {"start", "step", "eval", "saved", "end"}) {
    EXPECT_TRUE(events.contains(name)) << name;
  }
}

TEST_F(ReconstructTest, ProfileNamesEveryStage) {
  // "step" is the whole; "not in any stage" what the others leave of it.
  const std::string& out = end().out;
  const size_t rest = out.find("not in any stage");
  ASSERT_NE(rest, std::string::npos);
  double milliseconds = 0;
  double share = 100;
  ASSERT_EQ(std::sscanf(out.c_str() + rest, "not in any stage %lf %lf%%", &milliseconds, &share),
            2);
  EXPECT_LE(share, 3.0);
}

TEST_F(ReconstructTest, ConfigGivesTheSameRunAgain) {
  const fs::path again = folder_->path() / "again";
  const ProgramEnd second = run_program(
      {"reconstruct", "--config", (out() / "run.json").string(), "-o", again.string(), "--quiet"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.out, "");
  EXPECT_EQ(text_of(again / "scene.ply"), text_of(out() / "scene.ply"));
}

TEST_F(ReconstructTest, ThreadsDoNotChangeTheResult) {
  const fs::path single = folder_->path() / "single";
  const ProgramEnd end = run_program({"reconstruct", "--config", (out() / "run.json").string(),
                                      "-o", single.string(), "--threads", "3", "--quiet"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(text_of(single / "scene.ply"), text_of(out() / "scene.ply"));
}

TEST_F(ReconstructTest, SceneSaysWhichWayIsUp) {
  // The sample's cameras look down at an angle to every axis.
  const core::GaussianScene scene = assets::read_scene(out() / "scene.ply");
  double up[3] = {};
  ASSERT_EQ(std::sscanf(scene.vertical_axis.c_str(), "%lf %lf %lf", up, up + 1, up + 2), 3)
      << scene.vertical_axis;
  EXPECT_NEAR(std::hypot(up[0], up[1], up[2]), 1, 1e-3);
  EXPECT_FALSE(scene.antialiased);
  ASSERT_EQ(run_program({"convert", (out() / "scene.ply").string(),
                         (folder_->path() / "converted.ply").string()})
                .exit_code,
            0);
  EXPECT_EQ(assets::read_scene(folder_->path() / "converted.ply").vertical_axis,
            scene.vertical_axis);
}

TEST(ReconstructFile, SceneSaysThatItWasTrainedWithAntialiasing) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({"reconstruct", TESSERA_SAMPLE, "-o",
                                      (folder / "x.ply").string(), "-r", "8", "-n", "20", "-a"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_TRUE(assets::read_scene(folder / "x.ply").antialiased);
}

TEST(ReconstructFile, SceneFileAsOutputKeepsTheRestBesideIt) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program(
      {"reconstruct", TESSERA_SAMPLE, "-o", (folder / "x.splat").string(), "-r", "8", "-n", "20"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(fs::file_size(folder / "x.splat") % 32, 0U);
  EXPECT_TRUE(fs::exists(folder / "x_run/run.json"));
  EXPECT_TRUE(fs::exists(folder / "x_run/report.html"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("x.splat", "x_run"));
}

TEST(ReconstructLimit, HoldsForEveryStartAndStrategy) {
  const TemporaryFolder folder;
  // An eighth of the sample's size has fewer pixels than points, by 100.
  const ProgramEnd whole = run_program(
      {"reconstruct", TESSERA_SAMPLE, "-o", (folder / "whole.ply").string(), "-r", "8", "-n", "5"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.out, HasSubstr("6,364 points, and no more than that later: the default limit"));
  EXPECT_THAT(whole.out, Not(HasSubstr("for each million more")));
  const std::string keeps = ", of which --max-gaussians keeps 3,000";
  const std::vector<std::pair<std::vector<std::string>, std::string>> starts = {
      {{}, "6,364 points" + keeps},
      {{"--strategy", "mcmc"}, "6,364 points" + keeps},
      {{"--init-ply", (folder / "whole.ply").string()}, "whole.ply" + keeps},
      {{"--init-ply", (folder / "whole_run/input.ply").string()}, "input.ply" + keeps},
      {{"--init-points", "4000"}, "3,000 random points, as many as --max-gaussians allows"}};
  for (const auto& [more, said] : starts) {
    std::vector<std::string> words = {
        "reconstruct", TESSERA_SAMPLE, "-o",      (folder / "out").string(), "-r",  "8",
        "-n",          "30",           "--force", "--max-gaussians",         "3000"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramEnd end = run_program(words);
    ASSERT_EQ(end.exit_code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr(said));
    EXPECT_THAT(end.out, Not(HasSubstr("no more than that later")));
    const int64_t size = assets::read_scene(folder / "out/scene.ply").cloud.size();
    EXPECT_LE(size, 3000) << said;
    EXPECT_GT(size, 2000) << said;
  }
}

TEST(ReconstructReport, CaptureOfOtherPeoplesFoldersStaysAsItWas) {
  TESSERA_NEED_TEST_DATA(capture, "reports/L02");
  const TemporaryFolder folder;
  std::map<std::string, std::string> before;
  fs::copy(capture, folder / "capture", fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(folder / "capture")) {
    fs::permissions(entry.path(), fs::perms::owner_all);
    if (entry.is_regular_file()) before[entry.path().string()] = text_of(entry.path());
  }
  ASSERT_EQ(run_program({"reconstruct", (folder / "capture").string(), "-o",
                         (folder / "capture/result").string(), "-n", "20", "--eval"})
                .exit_code,
            0);
  std::map<std::string, std::string> after;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "capture")) {
    const bool ours = entry.path().string().starts_with((folder / "capture/result").string());
    if (entry.is_regular_file() && !ours) after[entry.path().string()] = text_of(entry.path());
  }
  EXPECT_EQ(before, after);

  const ProgramEnd onto = run_program({"reconstruct", (folder / "capture").string(), "-o",
                                       (folder / "capture").string(), "--force"});
  EXPECT_EQ(onto.exit_code, 2);
  EXPECT_THAT(onto.err, HasSubstr("is the capture itself"));
  const ProgramEnd start =
      run_program({"reconstruct", (folder / "capture").string(), "-o", (folder / "o").string(),
                   "--init-ply", (folder / "no_such.ply").string()});
  EXPECT_EQ(start.exit_code, 2);
  EXPECT_THAT(start.err, AllOf(HasSubstr("no_such.ply"), HasSubstr("does not exist")));
}

TEST(ReconstructReport, EqualNamesInFoldersKeepApart) {
  TESSERA_NEED_TEST_DATA(capture, "reports/C06");
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({"reconstruct", capture.string(), "-o",
                                      (folder / "out").string(), "-n", "20", "--test-every", "2"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("8 photos"));
  EXPECT_EQ(json_of(folder / "out/per_view.json")["ours_20"]["PSNR"].size(), 4U);
  ASSERT_EQ(run_program({"render", (folder / "out/scene.ply").string(), "--capture",
                         capture.string(), "-o", (folder / "views").string()})
                .exit_code,
            0);
  for (const char* side : {"left", "right"}) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(fs::exists(folder / "views" / side / ("000" + std::to_string(i) + ".png")));
    }
  }
}

TEST(ReconstructReport, EightSizesTrainAndAreMeasured) {
  TESSERA_NEED_TEST_DATA(capture, "reports/N03");
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({"reconstruct", capture.string(), "-o",
                                      (folder / "out").string(), "-n", "40", "--test-every", "2"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const Json figures = json_of(folder / "out/results.json")["ours_40"];
  EXPECT_TRUE(std::isfinite(figures["PSNR"].get<double>()));
  EXPECT_TRUE(std::isfinite(figures["SSIM"].get<double>()));
  const ProgramEnd eval = run_program({"eval", (folder / "out/scene.ply").string(),
                                       capture.string(), "--all", "-r", "2", "--json", "-"});
  ASSERT_EQ(eval.exit_code, 0) << eval.err;
  const Json views = Json::parse(eval.out)["views"];
  ASSERT_EQ(views.size(), 8U);
  double sum = 0;
  for (const Json& view : views) sum += view["psnr"].get<double>();
  EXPECT_NEAR(Json::parse(eval.out)["psnr"].get<double>(), sum / 8, 1e-9) << "a mean of pictures";
}

TEST(ReconstructReport, BrokenPhotosAreNamedBeforeTheFirstStep) {
  TESSERA_NEED_TEST_DATA(capture, "reports/C11");
  const TemporaryFolder folder;
  const ProgramEnd strict =
      run_program({"reconstruct", capture.string(), "-o", (folder / "a").string(), "-n", "10"});
  EXPECT_EQ(strict.exit_code, 2);
  EXPECT_THAT(strict.err,
              AllOf(HasSubstr("img_02.png"), HasSubstr("img_04.png"), HasSubstr("img_06.png")));
  EXPECT_THAT(strict.out, Not(HasSubstr("step ")));
  // Into the same folder: a run that did not begin left nothing there.
  const ProgramEnd lenient =
      run_program({"reconstruct", capture.string(), "-o", (folder / "a").string(), "-n", "10",
                   "--skip-bad-images"});
  EXPECT_EQ(lenient.exit_code, 0) << lenient.err;
  EXPECT_THAT(lenient.out, HasSubstr("5 photos of"));
  EXPECT_THAT(text_of(folder / "a/log.txt"), HasSubstr("img_02.png"));
}

TEST(ReconstructReport, WhatIsUnderTheMaskChangesNothing) {
  TESSERA_NEED_TEST_DATA(captures, "reports/K01");
  const TemporaryFolder folder;
  std::set<std::string> scenes;
  std::set<double> psnr;
  for (const char* under : {"true", "noise", "white"}) {
    const ProgramEnd end = run_program({"reconstruct", (captures / under).string(), "-o",
                                        (folder / under).string(), "-n", "60", "--eval"});
    ASSERT_EQ(end.exit_code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr("8 of 8"));
    scenes.insert(text_of(folder / under / "scene.ply"));
    psnr.insert(json_of(folder / under / "results.json")["ours_60"]["PSNR"].get<double>());
  }
  EXPECT_EQ(scenes.size(), 1U);
  EXPECT_EQ(psnr.size(), 1U) << "PSNR counts pixels under the mask";
}

TEST(ReconstructReport, PointsAtTheCamerasStayFinite) {
  TESSERA_NEED_TEST_DATA(capture, "reports/N01");
  const TemporaryFolder folder;
  const ProgramEnd end = run_program(
      {"reconstruct", capture.string(), "-o", (folder / "out").string(), "-n", "200", "--eval"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_TRUE(
      std::isfinite(json_of(folder / "out/results.json")["ours_200"]["PSNR"].get<double>()));
  EXPECT_EQ(assets::read_scene(folder / "out/scene.ply").dropped, 0);
}

// As the run itself measured it: what the system tells its parent counts the parent's own memory,
// too.
uint64_t peak_memory_of(const fs::path& run) {
  return json_of(run / "run.json")["figures"]["peak_memory_bytes"].get<uint64_t>();
}

TEST(ReconstructMemory, BudgetIsKeptWhileGaussiansGrow) {
  const TemporaryFolder folder;
  const ProgramEnd end =
      run_program({"reconstruct", TESSERA_SAMPLE, "-o", (folder / "out").string(), "-r", "4", "-n",
                   "800", "--max-memory", "50MB", "--threads", "2"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("up to "));
  EXPECT_LE(peak_memory_of(folder / "out"), 50'000'000U);
}

TEST(ReconstructReport, MemoryOfAPhotoIsAtMostThreeBytesAPixel) {
  TESSERA_NEED_TEST_DATA(capture, "reports/M01");
  const TemporaryFolder folder;
  // The first ten photos alone: the others are missing, which is warned about.
  fs::create_directories(folder / "ten/images");
  fs::copy(capture / "sparse", folder / "ten/sparse", fs::copy_options::recursive);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "p00" + std::to_string(i) + ".png";
    fs::copy(capture / "images" / name, folder / "ten/images" / name);
  }
  // The least of five: what threads happen to hold at once differs by some pages.
  const auto peak = [&](const fs::path& from, const std::string& to) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 5; ++i) {
      const ProgramEnd end =
          run_program({"reconstruct", from.string(), "-o", (folder / to).string(), "-n", "5",
                       "--threads", "2", "--force"});
      EXPECT_EQ(end.exit_code, 0) << end.err;
      least = std::min(least, peak_memory_of(folder / to));
    }
    return static_cast<double>(least);
  };
  const double ten = peak(folder / "ten", "a");
  const double forty = peak(capture, "b");
  constexpr double kPixels = 400 * 300;
  constexpr double kRunToRun = 0.5e6;  // the process's own: 0.1 to 0.3 MB were measured
  EXPECT_LE(forty - ten, 30 * 3 * kPixels + kRunToRun);
}

}  // namespace
}  // namespace tessera::test
