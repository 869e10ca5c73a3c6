// What cannot work is refused in one sentence, before the first step, with exit code 2.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// One line on standard error, nothing trained.
void expect_refused(const ProgramEnd& end, const std::vector<std::string>& words) {
  EXPECT_EQ(end.exit_code, 2) << end.out << end.err;
  for (const std::string& word : words) EXPECT_THAT(end.err, HasSubstr(word));
  EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
  EXPECT_THAT(end.out, Not(HasSubstr("step ")));
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;  // after `reconstruct`; OUT stands for a folder to write
  std::vector<std::string> words;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, InOneSentence) {
  const TemporaryFolder folder;
  std::vector<std::string> words = {"reconstruct"};
  for (std::string word : GetParam().arguments) {
    if (word == "SAMPLE") word = TESSERA_SAMPLE;
    if (word.starts_with("OUT")) word = (folder / "out").string() + word.substr(3);
    if (word == "EMPTY") {
      fs::create_directories(folder / "empty");
      word = (folder / "empty").string();
    }
    if (word == "SCENE") {
      std::ofstream(folder / "x.ply") << "ply";
      word = (folder / "x.ply").string();
    }
    words.push_back(word);
  }
  expect_refused(run_program(words), GetParam().words);
  EXPECT_FALSE(fs::exists(folder / "out")) << "a folder was left behind";
}

INSTANTIATE_TEST_SUITE_P(
    Reconstruct, Refused,
    testing::Values(
        Refusal{"MissingCapture", {"/no/such/folder", "-o", "OUT"}, {"/no/such/folder"}},
        Refusal{"EmptyCapture", {"EMPTY", "-o", "OUT"}, {"empty"}},
        Refusal{"SceneAsCapture", {"SCENE", "-o", "OUT"}, {"x.ply"}},
        Refusal{"MissingPhotos", {"SAMPLE", "-o", "OUT/deep", "--images", "EMPTY"}, {"photos"}},
        Refusal{"MissingStart", {"SAMPLE", "-o", "OUT", "--init-ply", "no.ply"}, {"no.ply"}},
        Refusal{"NoOutput", {"SAMPLE"}, {"--output"}},
        Refusal{"Mistyped", {"SAMPLE", "-o", "OUT", "--itrations", "5"}, {"--iterations"}},
        Refusal{"NotANumber", {"SAMPLE", "-o", "OUT", "-n", "many"}, {"-n", "many"}},
        Refusal{"OutOfRange", {"SAMPLE", "-o", "OUT", "--sh-degree", "5"}, {"--sh-degree"}},
        Refusal{"NegativeSave",
                {"SAMPLE", "-o", "OUT", "--save-iterations", "-5"},
                {"--save-iterations", "-5", "the least is 1"}},
        Refusal{"NegativeTest",
                {"SAMPLE", "-o", "OUT", "--test-iterations", "-5,10"},
                {"--test-iterations", "-5", "the least is 1"}},
        Refusal{"NoSuchStrategy", {"SAMPLE", "-o", "OUT", "--strategy", "best"}, {"mcmc"}},
        Refusal{"MeansThreeThings", {"-i", "SAMPLE", "-o", "OUT"}, {"-i", "--data", "--images"}},
        Refusal{"CannotBeWritten", {"SAMPLE", "-o", "OUT.sog"}, {".sog"}},
        Refusal{"NoScene", {"SAMPLE", "-o", "OUT.xyz"}, {".xyz", ".ply, .splat"}},
        Refusal{"NoSceneEither", {"SAMPLE", "-o", "OUT.PNG"}, {".PNG", ".ply, .splat"}},
        Refusal{"NoCuda", {"SAMPLE", "-o", "OUT", "--device", "cuda"}, {"--device", "CUDA"}},
        Refusal{"TraceInTheCapture",
                {"SAMPLE", "-o", "OUT", "--trace",
                 std::string(TESSERA_SAMPLE) + "/sparse/0/cameras.bin"},
                {"--trace", "cameras.bin"}},
        Refusal{"NoTraceOfSteps",
                {"SAMPLE", "-o", "OUT", "--trace-steps", "5:10"},
                {"--trace-steps", "--trace FILE"}},
        Refusal{"BadTraceSteps",
                {"SAMPLE", "-o", "OUT", "--trace", "t", "--trace-steps", "9:5"},
                {"--trace-steps", "earlier one first"}},
        Refusal{"TraceStepsBeyondTheEnd",
                {"SAMPLE", "-o", "OUT", "-n", "200", "--trace", "t", "--trace-steps", "500:700"},
                {"--trace-steps", "200"}},
        Refusal{"BadColor", {"SAMPLE", "-o", "OUT", "--background", "blueish"}, {"#rrggbb"}},
        Refusal{"BadSize", {"SAMPLE", "-o", "OUT", "--max-memory", "lots"}, {"4GB"}},
        Refusal{"TooLittleMemory",
                {"SAMPLE", "-o", "OUT", "--max-memory", "30MB"},
                {"30 MB", "--max-memory"}},
        Refusal{"TooManyGaussians",
                {"SAMPLE", "-o", "OUT", "--max-memory", "500MB", "--max-gaussians", "5000000"},
                {"--max-gaussians"}},
        Refusal{"NotAFolder", {"SAMPLE", "-o", "/dev/null/out"}, {"/dev/null/out"}},
        Refusal{"NotWritable", {"SAMPLE", "-o", "/proc/tessera"}, {"/proc/tessera"}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Output, FolderThatCannotBeWrittenIsNamedAsTyped) {
  const ProgramEnd end = run_program({"reconstruct", TESSERA_SAMPLE, "-o", "/proc", "--force"});
  expect_refused(end, {"/proc: nothing can be written there"});
  EXPECT_THAT(end.err, Not(HasSubstr(".tessera")));
}

TEST(Output, ADotInAFoldersNameIsNoExtension) {
  const TemporaryFolder folder;
  for (const char* name : {"run.v2", "run.2026-11", "mine.ply"}) {
    if (name == std::string("mine.ply")) fs::create_directory(folder / name);  // one that is there
    const ProgramEnd end = run_program(
        {"reconstruct", TESSERA_SAMPLE, "-o", (folder / name).string(), "-r", "8", "-n", "2"});
    EXPECT_EQ(end.exit_code, 0) << end.err;
    EXPECT_TRUE(fs::exists(folder / name / "scene.ply")) << name;
  }
}

TEST(Output, ThatExistsIsReplacedOnlyByForce) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  // With a slash at its end a folder is the same folder.
  const std::vector<std::string> words = {
      "reconstruct", TESSERA_SAMPLE, "-o", out.string() + "/", "-r", "8", "-n", "10", "--quiet"};
  ASSERT_EQ(run_program(words).exit_code, 0);
  const std::string before = text_of(out / "scene.ply");
  expect_refused(run_program(words), {"exists", "--force", "--resume"});
  EXPECT_EQ(text_of(out / "scene.ply"), before);
  // A run that cannot begin replaces nothing.
  std::vector<std::string> refused = words;
  refused.insert(refused.end(), {"--force", "--json-log", "/no/such/folder/log"});
  expect_refused(run_program(refused), {"/no/such/folder/log"});
  EXPECT_FALSE(fs::exists(out / "replaced_run"));
  // What is not ours stays.
  std::ofstream(out / "notes.txt") << "mine";
  std::vector<std::string> forced = words;
  forced.insert(forced.end(), {"--force", "-n", "12"});
  ASSERT_EQ(run_program(forced).exit_code, 0);
  EXPECT_EQ(text_of(out / "notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(out / "point_cloud/iteration_10"));
  EXPECT_TRUE(fs::exists(out / "point_cloud/iteration_12"));
}

TEST(Output, ThatExistsIsCalledWhatItIs) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& output) {
    const ProgramEnd end = run_program(
        {"reconstruct", TESSERA_SAMPLE, "-o", (folder / output).string(), "-r", "8", "-n", "10"});
    expect_refused(end, {"exists", "--force"});
    return end.err;
  };
  fs::create_directories(folder / "mine");
  std::ofstream(folder / "mine/notes.txt") << "mine";
  EXPECT_THAT(refused("mine"), Not(HasSubstr("--resume"))) << "there is no run in it";
  std::ofstream(folder / "o.ply") << "a scene";
  EXPECT_THAT(refused("o.ply"), Not(HasSubstr("--resume")));
  fs::create_directories(folder / "o_run");
  std::ofstream(folder / "o_run/run.json") << "{}";
  const std::string run = (folder / "o_run").string();
  EXPECT_THAT(refused("o.splat"),
              HasSubstr(run + ", the run of " + (folder / "o.ply").string() + ", exists"));
  EXPECT_THAT(refused("o.ply"), HasSubstr("--resume"));
}

TEST(Output, NothingThatIsReadIsReplaced) {
  const TemporaryFolder folder;
  const fs::path capture = folder / "capture";
  fs::copy(TESSERA_SAMPLE, capture, fs::copy_options::recursive);
  const fs::path photo = fs::directory_iterator(capture / "images")->path();
  const std::string before = text_of(photo);
  const std::string out = (capture / "out").string();
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        "reconstruct", capture.string(), "-o", out, "-r", "8", "-n", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  expect_refused(run({"--json-log", photo.string()}), {"--json-log", "stays as it is"});
  EXPECT_EQ(text_of(photo), before);
  EXPECT_FALSE(fs::exists(out));
  // A file in the run's own folder is the run's, wherever that lies.
  EXPECT_EQ(run({"--json-log", out + "/log.json"}).exit_code, 0);
  EXPECT_EQ(run({"--json-log", out + "/log.json", "--force"}).exit_code, 0);
  fs::create_directories(capture / "out/checkpoints");
  fs::rename(capture / "images", capture / "out/checkpoints/images");
  expect_refused(run({"--images", out + "/checkpoints/images", "--force"}), {"would be replaced"});
  EXPECT_EQ(text_of(capture / "out/checkpoints/images" / photo.filename()), before);
}

TEST(Output, FullDiskEndsTheRunInWordsAndKeepsTheLastSave) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  // Large enough for all but the checkpoint, as on a disk that fills up during the run.
  Program program({"reconstruct", TESSERA_SAMPLE, "-o", out.string(), "-r", "8", "-n", "60",
                   "--save-iterations", "10", "--checkpoint-every", "50", "--sh-degree", "1"},
                  1'500'000);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 2) << end.err;
  EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
  EXPECT_THAT(end.err, HasSubstr("checkpoint"));
  EXPECT_GT(fs::file_size(out / "scene.ply"), 0U);
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("tmp"))) << "left behind";
  }
}

TEST(Program, WrongSceneIsRefusedByEveryCommand) {
  const TemporaryFolder folder;
  std::ofstream(folder / "x.ply") << "not a scene";
  const std::string scene = (folder / "x.ply").string();
  expect_refused(run_program({"render", scene, "-o", (folder / "o").string()}), {"x.ply"});
  expect_refused(run_program({"eval", scene, TESSERA_SAMPLE}), {"x.ply"});
  expect_refused(run_program({"eval", (folder / "no.ply").string(), TESSERA_SAMPLE}), {"no.ply"});
}

TEST(Program, HelpFitsAScreenAndBeginsWithAnExample) {
  for (const char* command : {"reconstruct", "render", "eval"}) {
    const ProgramEnd end = run_program({command, "--help"});
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_LE(std::count(end.out.begin(), end.out.end(), '\n'), 24) << command;
    EXPECT_LT(end.out.find("  tessera "), end.out.find("usage:")) << command;
    std::istringstream lines(end.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

}  // namespace
}  // namespace tessera::test
