// `tessera render` on a small trained scene: pictures, films, depth, paths.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assets/photos/image_io.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RenderTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    ASSERT_EQ(run_program({"reconstruct", TESSERA_SAMPLE, "-o", run().string(), "-r", "8", "-n",
                           "60", "--quiet"})
                  .exit_code,
              0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static fs::path run() { return folder_->path() / "run"; }
  static std::string scene() { return (run() / "scene.ply").string(); }
  fs::path out(const std::string& name) const { return own_ / name; }

  static ProgramEnd render(std::vector<std::string> words) {
    words.insert(words.begin(), {"render", scene()});
    return run_program(words);
  }

  static TemporaryFolder* folder_;
  TemporaryFolder own_;
};
TemporaryFolder* RenderTest::folder_ = nullptr;

double difference(const core::Image8& a, const core::Image8& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.data.size(); ++i) sum += std::abs(a.data[i] - b.data[i]);
  return sum / static_cast<double>(a.data.size());
}

// Width and height as the entry of the film's one track states them.
std::pair<int, int> film_size(const fs::path& film) {
  const std::string bytes = text_of(film);
  const size_t entry = bytes.find("avc1", bytes.find("stsd"));
  const auto number = [&](size_t at) {
    return 256 * static_cast<uint8_t>(bytes.at(at)) + static_cast<uint8_t>(bytes.at(at + 1));
  };
  return {number(entry + 28), number(entry + 30)};
}

TEST_F(RenderTest, CapturesCamerasShowThePhotos) {
  const ProgramEnd end =
      render({"--capture", TESSERA_SAMPLE, "-o", out("views").string(), "--size", "125"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(out("views"))) {
    const core::Image8 picture = assets::read_image(entry.path());
    EXPECT_EQ(picture.width, 125);
    EXPECT_EQ(picture.height, 83);
    ++count;
  }
  EXPECT_EQ(count, 15);
}

TEST_F(RenderTest, DepthIsInMillimetresAndComesWithAPreview) {
  const ProgramEnd end = render({"--camera", "DSC_0423.JPG", "--capture", TESSERA_SAMPLE, "-o",
                                 out("one.png").string(), "--size", "125", "--depth", "--normals"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(own_.names(), testing::ElementsAre("one.png", "one_depth.png",
                                                 "one_depth_preview.png", "one_normals.png"));
  const assets::Image16 depth = assets::read_image16(out("one_depth.png"));
  // The sample's cameras stand some 3 to 5 units from the bananas.
  const int middle = depth.at(62, 41);
  EXPECT_GT(middle, 1000);
  EXPECT_LT(middle, 10000);
  EXPECT_EQ(assets::read_image(out("one_depth_preview.png")).channels, 3);
}

TEST_F(RenderTest, FilmIsOneWholeFile) {
  const ProgramEnd end = render({"--turntable", "--frames", "6", "--size", "101x61", "-o",
                                 out("film.mp4").string(), "--fps", "12"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(own_.names(), testing::ElementsAre("film.mp4"));
  EXPECT_EQ(text_of(out("film.mp4")).substr(4, 4), "ftyp");
  // An odd row or column would have to be made up by the encoder: it is not drawn, and said so.
  EXPECT_THAT(end.out, HasSubstr("6 pictures of 100x60"));
  EXPECT_EQ(film_size(out("film.mp4")), (std::pair{100, 60}));
}

TEST_F(RenderTest, FilmWithoutAnEvenSizeIsRefused) {
  const ProgramEnd end = render({"--turntable", "--size", "1x60", "-o", out("film.mp4").string()});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("too small for a film"));
  EXPECT_TRUE(own_.names().empty());
}

TEST_F(RenderTest, WithoutFfmpegAFilmIsRefusedInWords) {
  Program program({"render", scene(), "--turntable", "--frames", "4", "--size", "64", "-o",
                   out("film.mp4").string()},
                  std::nullopt, "/nonexistent");
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, testing::AllOf(HasSubstr("ffmpeg"), HasSubstr("apt install ffmpeg")));
  EXPECT_TRUE(own_.names().empty());
}

TEST_F(RenderTest, TurntableGoesAroundWhatTheCamerasLookedAt) {
  const ProgramEnd end =
      render({"--turntable", "--frames", "8", "--size", "96", "-o", out("round").string()});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  // The bananas are in the middle of every picture: yellow, unlike the carpet.
  for (int i = 0; i < 8; ++i) {
    const core::Image8 picture =
        assets::read_image(out("round") / ("0000" + std::to_string(i) + ".png"));
    double yellow = 0;
    for (int y = picture.height / 3; y < 2 * picture.height / 3; ++y) {
      for (int x = picture.width / 3; x < 2 * picture.width / 3; ++x) {
        yellow += picture.at(x, y, 0) - picture.at(x, y, 2);
      }
    }
    yellow /= picture.pixel_count() / 9.0;
    EXPECT_GT(yellow, 25) << "picture " << i;
  }
}

TEST_F(RenderTest, PathOfTheRunsOwnCamerasEqualsTheCapture) {
  ASSERT_EQ(
      render({"--path", (run() / "cameras.json").string(), "-o", out("path").string()}).exit_code,
      0);
  ASSERT_EQ(
      render({"--capture", TESSERA_SAMPLE, "-o", out("views").string(), "--size", "63"}).exit_code,
      0);
  const core::Image8 path = assets::read_image(out("path/00000.png"));
  const core::Image8 view = assets::read_image(out("views/DSC_0423.png"));
  ASSERT_EQ(path.width, view.width);
  ASSERT_EQ(path.height, view.height);
  EXPECT_LT(difference(path, view), 0.5);
}

TEST_F(RenderTest, KeyframesMakeAPath) {
  std::ofstream(out("path.json")) << R"({"fps": 10, "keyframes": [
    {"position": [0, -1, -4], "look_at": [0, 0, 0]},
    {"position": [2, -1, -3], "look_at": [0, 0, 0], "fov_deg": 40},
    {"position": [3, -1, 0], "look_at": [0, 0, 0], "up": [0, -1, 0]}]})";
  const ProgramEnd end = render({"--path", out("path.json").string(), "--frames", "5", "--size",
                                 "64x48", "-o", out("frames").string()});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(out("frames")), fs::directory_iterator()), 5);
}

TEST_F(RenderTest, BrokenPathsAreNamed) {
  const auto refused = [&](const std::string& json, const std::string& words) {
    std::ofstream(out("bad.json"), std::ios::trunc) << json;
    const ProgramEnd end = render({"--path", out("bad.json").string(), "-o", out("bad").string()});
    EXPECT_EQ(end.exit_code, 2) << json;
    EXPECT_THAT(end.err, HasSubstr(words)) << json;
  };
  refused("{", "not JSON");
  refused("{}", "keyframes");
  refused(R"({"keyframes": [{"position": [0, 0]}]})", "three numbers in \"position\"");
  refused(R"({"keyframes": [{"position": [0, 0, 0]}]})", "no \"look_at\"");
  refused(R"({"camera_path": [{"camera_to_world": [1, 2]}]})", "16 numbers");
  refused(R"([{"position": [0,0,0], "rotation": [[1,0,0],[0,1,0],[0,0,1]], "width": 1e9}])",
          "\"width\"");
}

TEST_F(RenderTest, PathsThatNoCameraCouldTakeAreRefusedByTheirEntry) {
  const auto refused = [&](const std::string& json, const std::string& words) {
    std::ofstream(out("bad.json"), std::ios::trunc) << json;
    const ProgramEnd end =
        render({"--path", out("bad.json").string(), "--frames", "3", "-o", out("bad").string()});
    EXPECT_EQ(end.exit_code, 2) << json;
    EXPECT_THAT(end.err, testing::AllOf(HasSubstr("bad.json"), HasSubstr(words))) << json;
    EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
    EXPECT_FALSE(fs::exists(out("bad"))) << json;
  };
  const auto second_key = [&](const std::string& key, const std::string& words) {
    refused(R"({"keyframes": [{"position": [0,0,-4], "look_at": [0,0,0]}, {)" + key + "}]}",
            "entry 1 of the camera path " + words);
  };
  second_key(R"("position": [1,2,3], "look_at": [1,2,3])", "has \"look_at\" where");
  second_key(R"("position": [1e300,2,3], "look_at": [1,2,3])", "has no usable number");
  second_key(R"("position": [null,2,3], "look_at": [1,2,3])", "has no usable number");
  second_key(R"("position": [1,2,3], "look_at": [0,0,0], "up": [0,0,0])", "has no direction");
  second_key(R"("position": [1,2,3], "look_at": [0,0,0], "fov_deg": 0)", "has \"fov_deg\" outside");
  second_key(R"("position": [1,2,3], "look_at": [0,0,0], "fov_deg": -5)", "has \"fov_deg\"");
  second_key(R"("position": [1,2,3], "look_at": [0,0,0], "fov_deg": null)", "has no usable number");
  refused(R"({"keyframes": [{"position": [0,0,-4], "look_at": [0,0,0]},
                            {"position": [0,0,0], "look_at": [0,0,-4]}]})",
          "frame 1 of the curve, between entries 0 and 1, looks at the place where it stands");
  refused(R"({"keyframes": [{"position": [NaN,0,0], "look_at": [0,0,0]}]})", "not JSON");
  const auto matrix = [&](const std::string& numbers, const std::string& words) {
    refused(R"({"camera_path": [{"camera_to_world": [)" + numbers + "]}]}",
            "entry 0 of the camera path " + words);
  };
  matrix("0,0,0,1, 0,0,0,2, 0,0,0,3, 0,0,0,1", "has a matrix that is no rotation");
  matrix("-1,0,0,1, 0,1,0,2, 0,0,1,3, 0,0,0,1", "has a matrix that is no rotation");
  matrix("1,0.5,0,1, 0,1,0,2, 0,0,1,3, 0,0,0,1", "has a matrix that is no rotation");
  const auto photo = [&](const std::string& numbers, const std::string& words) {
    refused(R"([{"position": [0,0,-4], "rotation": [[1,0,0],[0,1,0],[0,0,1]], )" + numbers + "}]",
            "entry 0 of the camera path has \"" + words + "\" outside");
  };
  photo(R"("width": 0, "height": 48, "fx": 50, "fy": 50)", "width");
  photo(R"("width": 64, "height": -48, "fx": 50, "fy": 50)", "height");
  photo(R"("width": 64, "height": 48, "fx": 1e-9, "fy": 50)", "fx");
  photo(R"("width": 64, "height": 48, "fx": 50, "fy": 1e9)", "fy");
  photo(R"("width": 64, "height": 48, "fx": 50, "fy": 50, "cx": -1e9)", "cx");
  refused(R"([{"position": [0,0,0], "rotation": [[0,0,0],[0,0,0],[0,0,0]]}])", "no rotation");
  refused(R"({"fps": -3, "keyframes": [{"position": [0,0,-4], "look_at": [0,0,0]}]})", "\"fps\"");
}

TEST_F(RenderTest, JpegIsWrittenAsTheHelpSays) {
  EXPECT_THAT(run_program({"render", "--help"}).out, HasSubstr("x.jpg"));
  ASSERT_EQ(render({"-o", out("x.jpg").string(), "--size", "64"}).exit_code, 0);
  EXPECT_EQ(text_of(out("x.jpg")).substr(0, 2), "\xFF\xD8");
}

TEST_F(RenderTest, PhotoIsNamedShortOrAnsweredWithWhatToDo) {
  EXPECT_EQ(render({"--camera", "DSC_0423", "--capture", TESSERA_SAMPLE, "-o",
                    out("one.png").string(), "--size", "64"})
                .exit_code,
            0);
  const ProgramEnd end = render({"--camera", "DSC_0423.JPG", "-o", out("two.png").string()});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("add --capture"));
}

TEST_F(RenderTest, FilmThatCannotBeWrittenIsRefusedBeforeAPictureIsDrawn) {
  fs::create_directory(out("taken.mp4"));
  const ProgramEnd end = render({"--turntable", "-o", out("taken.mp4").string()});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("is a folder"));
  EXPECT_THAT(end.out, testing::Not(HasSubstr("picture ")));
  EXPECT_THAT(own_.names(), testing::ElementsAre("taken.mp4"));
}

TEST_F(RenderTest, FilesOfOtherKindsAreNoFolders) {
  for (const char* name : {"x.gif", "x.bmp", "x.ply"}) {
    const ProgramEnd end = render({"-o", out(name).string(), "--size", "32"});
    EXPECT_EQ(end.exit_code, 2) << name;
    EXPECT_THAT(end.err, testing::AllOf(HasSubstr(name), HasSubstr("x.mp4"), HasSubstr("x.png")));
    EXPECT_FALSE(fs::exists(out(name)));
  }
}

TEST_F(RenderTest, SeveralPicturesDoNotFitIntoOneFile) {
  const ProgramEnd end = render({"--turntable", "-o", out("x.png").string()});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("do not fit into one"));
}

}  // namespace
}  // namespace tessera::test
