// tessera inspect on scenes, points and captures, right and wrong ones.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "core/file_io.h"
#include "tests/support/run_tessera.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::apps {
namespace {

using test::Outcome;
using test::run_tessera;
using ::testing::HasSubstr;

constexpr const char* kTwoGaussians =
    "ply\nformat ascii 1.0\nelement vertex 3\n"
    "property float x\nproperty float y\nproperty float z\n"
    "property float f_dc_0\nproperty float f_dc_1\nproperty float f_dc_2\n"
    "property float opacity\n"
    "property float scale_0\nproperty float scale_1\nproperty float scale_2\n"
    "property float rot_0\nproperty float rot_1\nproperty float rot_2\nproperty float rot_3\n"
    "end_header\n"
    "1 2 3 0 0 0 0 -2 -2 -2 1 0 0 0\n"
    "-1 -2 -3 0 0 0 -9 -2 -14 -14 1 0 0 0\n"
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

nlohmann::json inspect_json(const std::filesystem::path& path) {
  const Outcome outcome = run_tessera({"inspect", path.string(), "--json"});
  EXPECT_EQ(outcome.exit_code, kExitDone) << outcome.errors;
  return nlohmann::json::parse(outcome.output);
}

TEST(InspectTest, AScene) {
  const test::TemporaryFolder folder;
  core::write_file_atomically(folder / "a.ply", kTwoGaussians);
  const nlohmann::json json = inspect_json(folder / "a.ply");
  EXPECT_EQ(json["kind"], "gaussians");
  EXPECT_EQ(json["count"], 2);
  EXPECT_EQ(json["dropped"], 1);
  EXPECT_EQ(json["sh_degree"], 0);
  EXPECT_EQ(json["bounds"]["lowest"], (std::vector<double>{-1, -2, -3}));
  EXPECT_EQ(json["bounds"]["highest"], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(json["opacity"]["counts"], (std::vector<int>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
  // exp(-2) = 0.135 lies between 0.1 and 0.316.
  EXPECT_EQ(json["scale"]["counts"], (std::vector<int>{2}));
  EXPECT_NEAR(json["scale"]["edges"][0].get<double>(), 0.1, 1e-9);
  ASSERT_EQ(json["problems"].size(), 3U);

  const Outcome text = run_tessera({"inspect", (folder / "a.ply").string()});
  EXPECT_EQ(text.exit_code, kExitDone);
  EXPECT_THAT(text.output, HasSubstr("Gaussians     2"));
  EXPECT_THAT(text.output, HasSubstr("1 of 3 records is not usable (a rotation of length 0)"));
  EXPECT_THAT(text.output, HasSubstr("1 Gaussian has an opacity below 1/255"));
  EXPECT_THAT(text.output, HasSubstr("1 Gaussian is a needle"));
}

TEST(InspectTest, Points) {
  const test::TemporaryFolder folder;
  core::write_file_atomically(folder / "a.ply",
                              "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
                              "property float y\nproperty float z\nend_header\n0 0 0\n1 2 3\n");
  const nlohmann::json json = inspect_json(folder / "a.ply");
  EXPECT_EQ(json["kind"], "points");
  EXPECT_EQ(json["count"], 2);
  EXPECT_EQ(json["has_colors"], false);
}

TEST(InspectTest, BoundsHaveNoMinusZero) {
  const test::TemporaryFolder folder;
  core::write_file_atomically(folder / "a.ply",
                              "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
                              "property float y\nproperty float z\nend_header\n"
                              "-10 -0 -0\n-0 -0 5\n");
  const Outcome outcome = run_tessera({"inspect", (folder / "a.ply").string()});
  EXPECT_THAT(outcome.output, HasSubstr("-10 to 0,  0 to 0,  0 to 5\n"));
  EXPECT_THAT(outcome.output, ::testing::Not(HasSubstr("-0")));
}

TEST(InspectTest, ACaptureInAFolderOfTheOneGivenIsNamed) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "notes");
  std::filesystem::create_directory_symlink(TESSERA_SAMPLE, folder / "undistorted");
  for (const char* command : {"inspect", "reconstruct"}) {
    std::vector<std::string> words = {command, folder.path().string()};
    if (words[0] == "reconstruct") words.insert(words.end(), {"-o", (folder / "out").string()});
    const Outcome outcome = run_tessera(words);
    EXPECT_EQ(outcome.exit_code, kExitInputFault);
    EXPECT_THAT(outcome.errors,
                HasSubstr("give the one in it, " + (folder / "undistorted").string() + "\n"));
  }
}

TEST(InspectTest, AnEmptySceneIsToldAsAProblem) {
  const test::TemporaryFolder folder;
  core::write_file_atomically(folder / "a.ply",
                              "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n"
                              "property float y\nproperty float z\nend_header\n");
  EXPECT_EQ(inspect_json(folder / "a.ply")["problems"].size(), 1U);
}

TEST(InspectTest, WhatCannotBeReadIsSaidInOneSentence) {
  const test::TemporaryFolder folder;
  core::write_file_atomically(folder / "cut.ply", std::string(kTwoGaussians).substr(0, 420));
  core::write_file_atomically(folder / "notes.txt", "hello");
  for (const auto& [name, words] : {std::pair{"none.ply", "there is no such file"},
                                    {"cut.ply", "is cut off"},
                                    {"notes.txt", "of no known scene format"},
                                    {"", "holds no capture"}}) {
    const Outcome outcome = run_tessera({"inspect", (folder / name).string()});
    EXPECT_EQ(outcome.exit_code, kExitInputFault) << name;
    EXPECT_EQ(outcome.output, "") << name;
    EXPECT_THAT(outcome.errors, HasSubstr(words));
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1);
  }
}

TEST(InspectTest, ACaptureWithPhotosThatAreMissing) {
  TESSERA_NEED_TEST_DATA(fox, "fox");
  const nlohmann::json json = inspect_json(fox);
  EXPECT_EQ(json["kind"], "transforms.json");
  EXPECT_EQ(json["photos"], 67);
  EXPECT_EQ(json["missing_photos"].size(), 17U);
  ASSERT_EQ(json["cameras"].size(), 1U);
  EXPECT_EQ(json["cameras"][0]["model"], "OPENCV");
  EXPECT_EQ(json["cameras"][0]["width"], 1080);
  EXPECT_EQ(json["problems"].size(), 1U);
  EXPECT_THAT(run_tessera({"inspect", fox.string()}).output, HasSubstr("17 of them not on disk"));
  EXPECT_THAT(json["problems"][0].get<std::string>(),
              HasSubstr("17 of 67 photos are missing in " + (fox / "images").string() + ": "));
}

TEST(InspectTest, ACaptureWithPointsAndOneWithTestViews) {
  TESSERA_NEED_TEST_DATA(data, "");
  const nlohmann::json banana = inspect_json(data / "banana" / "undistorted");
  EXPECT_EQ(banana["kind"], "COLMAP");
  EXPECT_EQ(banana["photos"], 15);
  EXPECT_EQ(banana["points"], 6364);
  EXPECT_EQ(banana["problems"].size(), 0U);
  EXPECT_EQ(inspect_json(data / "lego_200")["test_photos"], 200);
}

}  // namespace
}  // namespace tessera::apps
