// `tessera plan`: a table, labelled as a model.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "assets/captures/capture_reader.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

Outcome plan(std::vector<std::string> more) {
  std::vector<std::string> words = {"plan", TESSERA_SAMPLE, "-r", "8"};
  words.insert(words.end(), more.begin(), more.end());
  return run_tessera(words);
}

TEST(Plan, IsATableLabelledAsAModel) {
  const Outcome outcome = plan({"--ranks", "1,2,4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("a model, not a measurement"), HasSubstr("4 whole"),
                                    HasSubstr("efficiency"), HasSubstr("1.25 GB/s")));
}

TEST(Plan, SaysTheSameAsJson) {
  const Outcome outcome = plan({"--ranks", "1,4,64", "--gaussians", "100000", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  const Json json = Json::parse(outcome.output);
  EXPECT_EQ(json.at("is_model"), true);
  EXPECT_EQ(json.at("gaussians"), 100000);
  const Json& rows = json.at("rows");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].at("batch"), 4);
  EXPECT_EQ(rows[1].at("partition"), "views");
  // Parameters, gradient and two moments of 59 floats.
  EXPECT_NEAR(rows[0].at("state_bytes"), 944 * 100000, 944);
  EXPECT_LT(rows[1].at("state_bytes"), rows[0].at("state_bytes"));
  EXPECT_EQ(rows[0].at("bytes_sent"), 0);
  EXPECT_GT(rows[1].at("bytes_sent"), 0);
  EXPECT_GT(rows[1].at("tile_rows").at("bytes_sent"), 0);
}

// One view in blocks: fewer rows of tiles than ranks are no strips for all.
TEST(Plan, SaysWhereStripsEnd) {
  const Outcome outcome = plan({"--ranks", "2,16", "--batch", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("1 in 16 blocks"), HasSubstr("fewer rows of tiles than ranks")));
}

TEST(Plan, CompressedMessagesAreSmaller) {
  const auto bytes = [](const char* precision) {
    const Outcome outcome = plan({"--ranks", "2", "--json", "--message-precision", precision});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    return Json::parse(outcome.output).at("rows")[0].at("bytes_sent").get<int64_t>();
  };
  EXPECT_LT(bytes("compressed"), 6 * bytes("float32") / 10);
}

TEST(Plan, SaysWhereThePhotosShowNothingOfTheScene) {
  const TemporaryFolder folder;
  const auto write = [&](const char* name, double east) {
    std::ofstream file(folder / name);
    file << "ply\nformat ascii 1.0\nelement vertex 1000\nproperty float x\nproperty float y\n"
            "property float z\nend_header\n";
    const std::vector<core::ColoredPoint> points = assets::read_capture(TESSERA_SAMPLE).points;
    for (int i = 0; i < 1000; ++i) {
      const math::Vec3<double> at = points[i].position;
      file << at.x + east << ' ' << at.y << ' ' << at.z << '\n';
    }
    return (folder / name).string();
  };
  const Outcome fits = plan({"--ranks", "2", "--scene", write("fits.ply", 0)});
  EXPECT_EQ(fits.exit_code, 0);
  EXPECT_EQ(fits.errors.find("another capture"), std::string::npos) << fits.errors;
  const Outcome far = plan({"--ranks", "2", "--scene", write("far.ply", 1e4)});
  EXPECT_EQ(far.exit_code, 0);
  EXPECT_THAT(far.errors, AllOf(HasSubstr("at most 0 of the 1,000 Gaussians of "),
                                HasSubstr("far.ply"), HasSubstr("another capture")));
}

TEST(Plan, RefusesWhatCannotBeMeant) {
  for (const auto& [words, what] : {std::pair{std::vector<std::string>{"--ranks", "0"}, "--ranks"},
                                    {{"--bandwidth", "0"}, "--bandwidth"},
                                    {{"--scene", "/no/such.ply"}, "/no/such.ply"},
                                    {{"--partition", "stripes"}, "--partition"}}) {
    const Outcome outcome = plan(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr(what));
  }
}

}  // namespace
}  // namespace tessera::test
