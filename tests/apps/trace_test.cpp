// `--trace`: a file in Chrome's trace format that tells what each rank did when.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

struct Interval {
  std::string name;
  double begin = 0;
  double end = 0;
  int64_t step = 0;
};

// What a file says of one rank.
struct RankTrace {
  std::string name;
  std::string labels;
  std::map<std::string, std::vector<Interval>> rows;  // by the row's name
  std::map<std::string, int64_t> bytes_sent;          // of messages, by tag
  int open_messages = 0;

  const std::vector<Interval>& row(const std::string& row_name) const { return rows.at(row_name); }
  std::set<std::string> names(const std::string& row_name) const {
    std::set<std::string> names;
    for (const Interval& interval : row(row_name)) names.insert(interval.name);
    return names;
  }
};

std::map<int, RankTrace> read_trace(const fs::path& path) {
  std::map<int, RankTrace> ranks;
  std::map<std::pair<int, int>, std::string> row_names;
  for (const Json& event : Json::parse(text_of(path))) {
    const int rank = event.at("pid");
    RankTrace& trace = ranks[rank];
    const std::string phase = event.at("ph"), name = event.at("name");
    if (phase == "M") {
      const Json& arguments = event.at("args");
      if (name == "process_name") trace.name = arguments.at("name");
      if (name == "process_labels") trace.labels = arguments.at("labels");
      if (name == "thread_name") row_names[{rank, event.at("tid")}] = arguments.at("name");
      continue;
    }
    const double begin = event.at("ts");
    if (phase == "X") {
      const double length = event.at("dur");
      EXPECT_GE(length, 0);
      trace.rows[row_names.at({rank, event.at("tid")})].push_back(
          {name, begin, begin + length, event.at("args").at("step")});
      continue;
    }
    EXPECT_TRUE(phase == "b" || phase == "e") << phase;
    trace.open_messages += phase == "b" ? 1 : -1;
    if (phase == "b") trace.bytes_sent[name] += event.at("args").at("bytes sent").get<int64_t>();
  }
  return ranks;
}

// No two intervals of a row overlap, but by the rounding of times to nanoseconds.
void expect_apart(std::vector<Interval> row) {
  std::sort(row.begin(), row.end(), [](const Interval& a, const Interval& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (size_t i = 0; i + 1 < row.size(); ++i) {
    EXPECT_LE(row[i].end, row[i + 1].begin + 0.003) << row[i].name << ", " << row[i + 1].name;
  }
}

std::map<int64_t, double> lengths_by_step(const std::vector<Interval>& row) {
  std::map<int64_t, double> lengths;
  for (const Interval& interval : row) lengths[interval.step] += interval.end - interval.begin;
  return lengths;
}

std::vector<Interval> only_steps(const RankTrace& trace) {
  std::vector<Interval> steps;
  for (const Interval& interval : trace.row("run")) {
    if (interval.name == "step") steps.push_back(interval);
  }
  return steps;
}

void expect_whole(const RankTrace& trace, size_t step_count) {
  for (const auto& [name, row] : trace.rows) expect_apart(row);
  const std::vector<Interval> steps = only_steps(trace);
  EXPECT_EQ(steps.size(), step_count);
  const std::map<int64_t, double> of_stages = lengths_by_step(trace.row("stages"));
  for (const auto& [step, length] : lengths_by_step(steps)) {
    EXPECT_NEAR(of_stages.at(step), length, 0.01 * length) << step;
  }
  EXPECT_EQ(trace.open_messages, 0);
}

std::vector<std::string> traced_run(const fs::path& folder, std::vector<std::string> more) {
  std::vector<std::string> words = {"reconstruct", TESSERA_SAMPLE,
                                    "-o",          (folder / "out").string(),
                                    "-r",          "8",
                                    "--sh-degree", "1",
                                    "--trace",     (folder / "trace.json").string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// As processes where there is mpirun, and as threads.
TEST(Trace, TellsWhatEachRankDidWhen) {
  for (const bool in_threads : {false, true}) {
    const TemporaryFolder folder;
    const std::vector<std::string> words =
        traced_run(folder.path(), {"-n", "24", "--ranks", "2", "--eval", "--save-iterations", "10",
                                   "--checkpoint-every", "12"});
    const ProgramEnd end =
        in_threads ? Program(words, std::nullopt, "/nowhere").wait() : run_program(words);
    ASSERT_EQ(end.exit_code, 0) << end.err;
    EXPECT_THAT(end.out, HasSubstr("trace.json"));
    const std::map<int, RankTrace> ranks = read_trace(folder / "trace.json");
    ASSERT_EQ(ranks.size(), 2U);
    std::vector<Interval> first_steps;
    for (const auto& [rank, trace] : ranks) {
      EXPECT_EQ(trace.name, "rank " + std::to_string(rank));
      expect_whole(trace, 24);
      EXPECT_EQ(only_steps(trace).back().step, 24);
      for (const char* name : {"step", "save scene", "checkpoint", "evaluate"}) {
        EXPECT_TRUE(trace.names("run").contains(name)) << name;
      }
      for (const char* name : {"project", "exchange splats", "loss", "densify"}) {
        EXPECT_TRUE(trace.names("stages").contains(name)) << name;
      }
      EXPECT_FALSE(trace.row("waiting").empty());
      EXPECT_GT(trace.bytes_sent.at("splats"), 0);
      EXPECT_GT(trace.bytes_sent.at("splat gradients"), 0);
      first_steps.push_back(only_steps(trace)[0]);
    }
    // A step cannot end on one rank before it has begun on the other.
    EXPECT_LT(first_steps[0].begin, first_steps[1].end);
    EXPECT_LT(first_steps[1].begin, first_steps[0].end);
    EXPECT_THAT(ranks.at(1).labels, HasSubstr("clock within "));
  }
}

TEST(Trace, OfOneRankHoldsTheStepsAskedFor) {
  const TemporaryFolder folder;
  const ProgramEnd end =
      run_program(traced_run(folder.path(), {"-n", "30", "--trace-steps", "11:15"}));
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const std::map<int, RankTrace> ranks = read_trace(folder / "trace.json");
  ASSERT_EQ(ranks.size(), 1U);
  expect_whole(ranks.at(0), 5);
  EXPECT_EQ(only_steps(ranks.at(0)).front().step, 11);
  EXPECT_TRUE(ranks.at(0).names("stages").contains("optimizer"));
  EXPECT_THAT(text_of(folder / "out" / "run.json"), testing::Not(HasSubstr("\"trace")));
}

TEST(Trace, IntoAFolderThatIsNotThereIsRefusedBeforePhotosAreDecoded) {
  const TemporaryFolder folder;
  const fs::path capture = folder / "capture";
  fs::copy(TESSERA_SAMPLE, capture, fs::copy_options::recursive);
  fs::resize_file(capture / "images" / "DSC_0424.JPG", 1000);  // named by whoever decodes it
  for (const char* option : {"--trace", "--json-log"}) {
    const ProgramEnd end =
        run_program({"reconstruct", capture.string(), "-o", (folder / "out").string(), option,
                     (folder / "nowhere" / "file.json").string()});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_THAT(end.err, AllOf(HasSubstr("nowhere/file.json"), HasSubstr("does not exist"),
                               Not(HasSubstr("DSC_0424"))));
    EXPECT_FALSE(fs::exists(folder / "out"));
  }
}

TEST(Trace, MayStandInTheOutputThatIsNotThereYet) {
  const TemporaryFolder folder;
  const ProgramEnd end =
      run_program({"reconstruct", TESSERA_SAMPLE, "-o", (folder / "out").string(), "-r", "8", "-n",
                   "2", "--trace", (folder / "out" / "trace.json").string()});
  EXPECT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(read_trace(folder / "out" / "trace.json").size(), 1U);
}

TEST(Trace, IsWrittenWhenTheRunIsStopped) {
  const TemporaryFolder folder;
  Program program(traced_run(folder.path(), {"-n", "100000", "--ranks", "2"}));
  ASSERT_TRUE(program.says("step 1/"));
  program.send(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 130);
  const std::map<int, RankTrace> ranks = read_trace(folder / "trace.json");
  EXPECT_EQ(ranks.size(), 2U);
  EXPECT_FALSE(fs::exists(folder / "trace.json.tmp"));
}

}  // namespace
}  // namespace tessera::test
