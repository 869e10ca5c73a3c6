// `tessera photo3d` on clips, as users run it: folders of frames, video files, what is made of them
// and what is refused.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "core/metrics.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kWidth = 96;
constexpr int kHeight = 64;
constexpr int kPeriod = 6;
constexpr int kFrames = 15;

// A wall, and a square in which a wave travels.
core::Image8 frame(int number) {
  core::Image8 image(kWidth, kHeight, 3);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const bool swings = x >= 10 && x < 40 && y >= 10 && y < 40;
      for (int c = 0; c < 3; ++c) {
        const double wave = 30 * std::sin(0.5 * x + 0.3 * y + c);
        const double swing = 60 * std::sin(2 * std::acos(-1.0) * number / kPeriod + 0.4 * x);
        image.at(x, y, c) = static_cast<uint8_t>(std::lround(110 + wave + (swings ? swing : 0)));
      }
    }
  }
  return image;
}

assets::Image16 depth() {
  assets::Image16 image(kWidth, kHeight, 1);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) image.at(x, y) = x < 50 ? 2000 : 3000;
  }
  return image;
}

class Photo3dClipTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "clip");
    for (int i = 0; i < kFrames; ++i) assets::write_image(frame_path(i), frame(i));
    assets::write_image(folder_ / "depth.png", depth());
  }

  // Without leading zeros: frame2 comes before frame10.
  fs::path frame_path(int number) const {
    return folder_ / "clip" / ("frame" + std::to_string(number) + ".png");
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  ProgramEnd clip(std::vector<std::string> words) const {
    words.insert(words.begin(), {"photo3d", at("clip"), "--depth", at("depth.png")});
    return run_program(words);
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& reason) const {
    std::vector<std::string> all = words;
    all.insert(all.begin(), "photo3d");
    all.insert(all.end(), {"-o", at("never.tmpi")});
    const ProgramEnd end = run_program(all);
    EXPECT_EQ(end.exit_code, 2) << end.out;
    EXPECT_THAT(end.err, HasSubstr(reason));
    EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
    EXPECT_FALSE(fs::exists(folder_ / "never.tmpi"));
  }

  TemporaryFolder folder_;
};

TEST_F(Photo3dClipTest, AFolderOfFrames) {
  const ProgramEnd end =
      clip({"-o", at("out"), "--frames", "5", "--clip-fps", "10", "--film-width", "64"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const nlohmann::json run = nlohmann::json::parse(text_of(folder_ / "out/photo3d.json"));
  EXPECT_EQ(run["clip"]["frames"], kFrames);
  EXPECT_EQ(run["clip"]["loop_frames"], 2 * kPeriod);
  EXPECT_GT(run["clip"]["loop_closed_db"], run["clip"]["loop_clip_db"]);
  EXPECT_NEAR(run["clip"]["moving_share"].get<double>(), 900.0 / (kWidth * kHeight), 0.03);
  EXPECT_GE(run["views"].size(), 2U);
  for (const nlohmann::json& view : run["views"]) EXPECT_GT(view["psnr"], 50) << view;

  const core::MultiplaneVideo video = assets::read_multiplane_video(folder_ / "out/scene.tmpi");
  EXPECT_EQ(video.frame_count(), 2 * kPeriod);
  EXPECT_EQ(video.frames_per_second, 10);
  EXPECT_THAT(text_of(folder_ / "out/view.html"), HasSubstr("\"frames_per_second\":10"));
  const nlohmann::json summary =
      nlohmann::json::parse(run_program({"inspect", at("out/scene.tmpi"), "--json"}).out);
  EXPECT_EQ(summary["frames"], 2 * kPeriod);
  EXPECT_GT(summary["moving_layers"], 0);
  EXPECT_LT(summary["moving_layers"], summary["layers"]);
}

TEST_F(Photo3dClipTest, WhatIsMadePlaysWhereItIsDrawnAndConverted) {
  ASSERT_EQ(clip({"-o", at("a.tmpi"), "--loop", "none", "--clip-fps", "10"}).exit_code, 0);
  // A path of the photo's own camera, longer than the clip.
  std::ofstream path(folder_ / "path.json");
  path << R"({"fps": 10, "keyframes": [)";
  for (int i = 0; i < 2; ++i) {
    path << (i > 0 ? "," : "")
         << R"({"position": [0, 0, 0], "look_at": [0, 0, 1], "up": [0, -1, 0]})";
  }
  path << "]}";
  path.close();
  ASSERT_EQ(run_program({"render", at("a.tmpi"), "--path", at("path.json"), "--frames", "17", "-o",
                         at("drawn")})
                .exit_code,
            0);
  std::vector<fs::path> drawn;
  for (const auto& entry : fs::directory_iterator(folder_ / "drawn")) drawn.push_back(entry.path());
  std::sort(drawn.begin(), drawn.end());
  ASSERT_EQ(drawn.size(), 17U);
  for (const int i : {0, 1, 4, 14, 16}) {
    const core::Image8 picture = assets::read_image(drawn[i]);
    const core::Image8 expected = frame(i % kFrames);
    EXPECT_NEAR(picture.at(kWidth / 4, kHeight / 2), expected.at(kWidth / 4, kHeight / 2), 6) << i;
  }

  // Twice as many pictures a second show each frame twice.
  ASSERT_EQ(run_program({"render", at("a.tmpi"), "--path", at("path.json"), "--frames", "6",
                         "--fps", "20", "-o", at("slow")})
                .exit_code,
            0);
  for (const int i : {2, 4}) {
    EXPECT_EQ(assets::read_image(folder_ / fmt::format("slow/0000{}.png", i)),
              assets::read_image(folder_ / fmt::format("slow/0000{}.png", i + 1)));
    EXPECT_EQ(assets::read_image(folder_ / fmt::format("slow/0000{}.png", i)),
              assets::read_image(folder_ / fmt::format("drawn/0000{}.png", i / 2)));
  }

  const ProgramEnd to_mtv = run_program({"convert", at("a.tmpi"), at("a.mtv")});
  ASSERT_EQ(to_mtv.exit_code, 0) << to_mtv.err;
  EXPECT_THAT(to_mtv.out, HasSubstr("15 frames"));
  EXPECT_TRUE(fs::exists(folder_ / "a.mtv/dynamic/0014.png"));
  EXPECT_THAT(text_of(folder_ / "a.mtv/geometry.obj"), HasSubstr(" 0 1 0\n"));
  EXPECT_THAT(text_of(folder_ / "a.mtv/geometry.obj"), HasSubstr(" 1 0 0\n"));
  const ProgramEnd to_glb = run_program({"convert", at("a.tmpi"), at("a.glb")});
  ASSERT_EQ(to_glb.exit_code, 0) << to_glb.err;
  EXPECT_THAT(to_glb.out, HasSubstr("the first of 15 frames"));
}

TEST_F(Photo3dClipTest, AVideoFile) {
  const std::string frames = at("clip/frame%d.png");
  const std::string command = "ffmpeg -loglevel error -framerate 12 -i " + frames +
                              " -crf 8 -pix_fmt yuv420p " + at("clip.mp4") + " </dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no ffmpeg that writes H.264";
  const ProgramEnd end = run_program(
      {"photo3d", at("clip.mp4"), "--depth", at("depth.png"), "-o", at("a.tmpi"), "-r", "48"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const core::MultiplaneVideo video = assets::read_multiplane_video(folder_ / "a.tmpi");
  EXPECT_EQ(video.frames_per_second, 12);
  EXPECT_EQ(video.image.camera.camera.width, 48);
  EXPECT_EQ(video.frame_count(), 2 * kPeriod);

  expect_refused({at("clip.mp4")}, "a clip has no depth");
  expect_refused({at("none.mp4"), "--depth", at("depth.png")}, "no such file");
  const std::string whole = text_of(folder_ / "clip.mp4");
  std::ofstream(folder_ / "cut.mp4", std::ios::binary) << whole.substr(0, whole.size() / 2);
  expect_refused({at("cut.mp4"), "--depth", at("depth.png")}, "ffmpeg");
  std::ofstream(folder_ / "words.mp4") << "no video";
  expect_refused({at("words.mp4"), "--depth", at("depth.png")}, "ffmpeg reads no video");
  const ProgramEnd without =
      Program({"photo3d", at("clip.mp4"), "--depth", at("depth.png"), "-o", at("never.tmpi")},
              std::nullopt, at("nowhere"))
          .wait();
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("apt install ffmpeg"));
}

TEST_F(Photo3dClipTest, ItsFilmPlays) {
  const ProgramEnd end = clip({"-o", at("film.mp4"), "--loop", "none", "--clip-fps", "10", "--fps",
                               "20", "--frames", "20", "--amount", "0"});
  if (end.err.find("apt install ffmpeg") != std::string::npos) GTEST_SKIP() << end.err;
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const std::string command =
      "ffmpeg -loglevel error -i " + at("film.mp4") + " " + at("film%d.png") + " </dev/null";
  ASSERT_EQ(std::system(command.c_str()), 0);
  core::ThreadPool pool(1);
  for (const int i : {0, 1, 6, 13, 19}) {
    const core::Image8 picture = assets::read_image(folder_ / fmt::format("film{}.png", i + 1));
    const core::ImageMetrics metrics =
        core::measure(assets::over_background(picture, {0, 0, 0}), frame(i / 2), {}, pool);
    EXPECT_GT(metrics.psnr, 30) << i;
  }
}

TEST_F(Photo3dClipTest, OptionsOfOthersAreRefused) {
  const std::string folder = at("clip");
  const std::string map = at("depth.png");
  expect_refused({folder, "--depth", map, "--steps", "3"},
                 "it is of a capture, and the input is a clip with its depth");
  expect_refused({folder, "--depth", map, "--depth-model-size", "64x64"}, "a network gives");
  expect_refused({folder, "--depth", map, "--loop", "none", "--loop-frames", "9"},
                 "--loop none takes all frames");
  expect_refused({folder, "--depth", map, "--depth-model", map}, "leave one out");
  expect_refused({frame_path(0).string(), "--depth", map, "--loop", "none"}, "it is of a clip");
  expect_refused({folder}, "holds photos but no cameras");
  expect_refused({folder}, "frames of a camera that stands still need --depth");
}

TEST_F(Photo3dClipTest, DepthForEachFrame) {
  fs::create_directory(folder_ / "depths");
  for (int i = 0; i < kFrames; ++i) {
    assets::Image16 map = depth();
    // Something comes nearer in some frames.
    for (int y = 10; y < 40; ++y) {
      for (int x = 10; x < 40; ++x) map.at(x, y) = i % kPeriod < 3 ? 1000 : 2000;
    }
    assets::write_image(folder_ / "depths" / (std::to_string(i) + ".png"), map);
  }
  const std::vector<std::string> words = {"photo3d", at("clip"), "--depth", at("depths")};
  std::vector<std::string> whole = words;
  whole.insert(whole.end(), {"-o", at("a.tmpi")});
  const ProgramEnd end = run_program(whole);
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const core::MultiplaneImage image = assets::read_multiplane(folder_ / "a.tmpi");
  double nearest = 9;
  for (const core::MultiplaneLayer& layer : image.layers) {
    nearest = std::min(nearest, 1 / core::inverse_depth_at_middle(layer, image.camera.camera));
  }
  EXPECT_NEAR(nearest, 1, 0.1);

  fs::remove(folder_ / "depths/14.png");
  expect_refused({at("clip"), "--depth", at("depths")},
                 "holds 14 depth maps, but the clip has 15 frames");
  fs::remove(folder_ / "depths/7.png");
  expect_refused({at("clip"), "--depth", at("depths")}, "missing between 6.png and 8.png");
  fs::create_directory(folder_ / "empty");
  expect_refused({at("clip"), "--depth", at("empty")}, "holds 0 depth maps");
}

TEST_F(Photo3dClipTest, BadClipsAreOneSentence) {
  const std::vector<std::string> words = {at("clip"), "--depth", at("depth.png")};
  expect_refused({at("clip"), "--depth", at("depth.png"), "--loop", "pingpong"}, "crossfade");
  const std::string seventh = text_of(frame_path(7));
  std::ofstream(frame_path(7), std::ios::binary) << seventh.substr(0, seventh.size() / 2);
  expect_refused(words, "frame7.png");
  assets::write_image(frame_path(7), core::Image8(20, 20, 3));
  expect_refused(words, "frame7.png: is 20x20, but frame0.png is 96x64");
  fs::remove(frame_path(7));
  expect_refused(words, "missing between frame6.png and frame8.png");
  for (int i = 1; i < kFrames; ++i) fs::remove(frame_path(i));
  expect_refused(words, "holds 1 picture,");
  fs::remove(frame_path(0));
  expect_refused(words, "holds 0 pictures");
}

TEST_F(Photo3dClipTest, TheSameForAnyNumberOfThreads) {
  for (const char* threads : {"1", "3"}) {
    const ProgramEnd end =
        clip({"-o", at(std::string("t") + threads + ".tmpi"), "--threads", threads});
    ASSERT_EQ(end.exit_code, 0) << end.err;
  }
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "t1.tmpi")) {
    EXPECT_EQ(text_of(entry.path()), text_of(folder_ / "t3.tmpi" / entry.path().filename()));
    ++files;
  }
  EXPECT_GT(files, 2 * kPeriod);
}

TEST_F(Photo3dClipTest, WithoutMovementItIsAStillScene) {
  for (int i = 1; i < kFrames; ++i) assets::write_image(frame_path(i), frame(0));
  const ProgramEnd end = clip({"-o", at("a.tmpi")});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("Nothing moves"));
  EXPECT_EQ(assets::read_multiplane_video(folder_ / "a.tmpi").frame_count(), 1);
}

// Its photos with poses are fitted; depth maps do not make it a clip.
TEST_F(Photo3dClipTest, ACaptureStaysOne) {
  expect_refused({TESSERA_SAMPLE, "--depth", at("depth.png")}, "is a capture");
}

}  // namespace
}  // namespace tessera::test
