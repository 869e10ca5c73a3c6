// `tessera photo3d` as users run it: photos with depth, stereo pairs, Gaussian scenes, and what is
// made of them afterwards.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "tests/support/exif.h"
#include "tests/support/photo3d_fixture.h"
#include "tests/support/test_data.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

TEST_F(Photo3dTest, APhotoAndItsDepth) {
  const ProgramEnd end = photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", at("out"),
                                  "--frames", "6", "--film-width", "80"});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(names_in(folder_ / "out"),
              IsSupersetOf({"scene.tmpi", "view.html", "stereo.jpg", "anaglyph.jpg", "depth.png",
                            "report.html", "photo3d.json", "log.txt"}));
  EXPECT_EQ(end.err, "");
  const nlohmann::json run = figures("out");
  EXPECT_TRUE(run["metric"]);
  EXPECT_GT(run["views"][0]["psnr"], 48);
  const core::Image8 stereo = assets::read_image(folder_ / "out/stereo.jpg");
  EXPECT_EQ(stereo.width, 2 * kWidth);
  EXPECT_EQ(stereo.height, kHeight);
  EXPECT_THAT(text_of(folder_ / "out/report.html"), HasSubstr("tessera photo3d"));

  // The scene knows where it was taken and what lies where.
  const core::MultiplaneImage image = assets::read_multiplane(folder_ / "out/scene.tmpi");
  double nearest = 1e9;
  for (const core::MultiplaneLayer& layer : image.layers) {
    const double inverse_depth = core::inverse_depth_at_middle(layer, image.camera.camera);
    if (inverse_depth > 0) nearest = std::min(nearest, 1 / inverse_depth);
  }
  EXPECT_NEAR(nearest, 1.5, 0.05);
}

TEST_F(Photo3dTest, TheSameForAnyNumberOfThreads) {
  for (const char* threads : {"1", "3"}) {
    ASSERT_EQ(photo3d({at("photo.png"), "--depth", at("depth.png"), "-o",
                       at(std::string("t") + threads + ".tmpi"), "--threads", threads})
                  .exit_code,
              0);
  }
  for (const std::string& name : names_in(folder_ / "t1.tmpi")) {
    EXPECT_EQ(text_of(folder_ / "t1.tmpi" / name), text_of(folder_ / "t3.tmpi" / name)) << name;
  }
}

TEST_F(Photo3dTest, WhatIsMadeIsDrawnInspectedAndConverted) {
  ASSERT_EQ(
      photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", at("scene.tmpi")}).exit_code, 0);
  const ProgramEnd inspected = run_program({"inspect", at("scene.tmpi"), "--json"});
  ASSERT_EQ(inspected.exit_code, 0) << inspected.err;
  const nlohmann::json summary = nlohmann::json::parse(inspected.out);
  EXPECT_EQ(summary["width"], kWidth);
  EXPECT_NEAR(summary["nearest"], 1.5, 0.05);

  // Without a camera it is the photo.
  ASSERT_EQ(run_program({"render", at("scene.tmpi"), "-o", at("front.png"), "--depth"}).exit_code,
            0);
  EXPECT_EQ(assets::read_image(folder_ / "front.png"), photo());
  const assets::Image16 depth = assets::read_image16(folder_ / "front_depth.png");
  EXPECT_NEAR(depth.at(60, 60), 1500, 30);
  EXPECT_NEAR(depth.at(130, 20), 4000, 80);

  // From 10 cm to the right the square, at 1.5 m, moves left by 160 * 0.1 / 1.5 = 10.7 pixels.
  ASSERT_EQ(run_program(
                {"render", at("scene.tmpi"), "--camera", "0.1,0,0,0.1,0,1", "-o", at("right.png")})
                .exit_code,
            0);
  const core::Image8 right = assets::read_image(folder_ / "right.png");
  const core::Image8 before = photo();
  double difference = 0;
  for (int x = 45; x < 75; ++x) {
    difference += std::abs(right.at(x - 11, 60) - before.at(x, 60));
  }
  EXPECT_LT(difference / 30, 25);

  const ProgramEnd turned =
      run_program({"render", at("scene.tmpi"), "--turntable", "-o", at("turned")});
  EXPECT_EQ(turned.exit_code, 2);
  EXPECT_THAT(turned.err, HasSubstr("--turntable"));

  const ProgramEnd moved = run_program(
      {"render", at("scene.tmpi"), "--motion", "sway", "--frames", "4", "-o", at("moved")});
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_THAT(names_in(folder_ / "moved"),
              UnorderedElementsAre("00000.png", "00001.png", "00002.png", "00003.png"));
  EXPECT_EQ(assets::read_image(folder_ / "moved/00000.png"), photo());
  EXPECT_NE(assets::read_image(folder_ / "moved/00001.png"), photo());
  const ProgramEnd walk =
      run_program({"render", at("scene.tmpi"), "--motion", "walk", "-o", at("never")});
  EXPECT_EQ(walk.exit_code, 2);
  EXPECT_THAT(walk.err, HasSubstr("dolly"));

  ASSERT_EQ(
      run_program({"convert", at("scene.tmpi"), at("planes"), "--format", "llff", "--planes", "5"})
          .exit_code,
      0);
  EXPECT_THAT(text_of(folder_ / "planes/metadata.txt"), HasSubstr("1 160 120 5"));

  ASSERT_EQ(run_program({"convert", at("scene.tmpi"), at("copy.tmpi")}).exit_code, 0);
  EXPECT_EQ(text_of(folder_ / "copy.tmpi/multiplane.json"),
            text_of(folder_ / "scene.tmpi/multiplane.json"));
}

TEST_F(Photo3dTest, DepthAtAnotherSizeOrOrientation) {
  // Half the size.
  assets::Image16 small(kWidth / 2, kHeight / 2, 1);
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      small.at(x, y) = static_cast<uint16_t>(std::lround(1000 * depth_at(2 * x, 2 * y)));
    }
  }
  assets::write_image(folder_ / "small.png", small);
  const ProgramEnd resized =
      photo3d({at("photo.png"), "--depth", at("small.png"), "-o", at("small.tmpi")});
  EXPECT_EQ(resized.exit_code, 0) << resized.err;
  EXPECT_THAT(resized.out, HasSubstr("resized"));

  // A portrait photo stored on its side: depth may lie as it is looked at, or as it is stored.
  const std::vector<uint8_t> jpeg =
      tests::with_exif_orientation(assets::encode_jpeg(assets::oriented(photo(), 6)), 8);
  std::ofstream(folder_ / "turned.jpg", std::ios::binary)
      .write(reinterpret_cast<const char*>(jpeg.data()), static_cast<int64_t>(jpeg.size()));
  const ProgramEnd upright =
      photo3d({at("turned.jpg"), "--depth", at("depth.png"), "-o", at("upright.tmpi")});
  EXPECT_EQ(upright.exit_code, 0) << upright.err;
  EXPECT_THAT(upright.out, Not(HasSubstr("EXIF")));
  assets::Image16 stored(kHeight, kWidth, 1);
  for (int y = 0; y < stored.height; ++y) {
    for (int x = 0; x < stored.width; ++x) {
      stored.at(x, y) = depth_in_millimeters().at(y, kHeight - 1 - x);
    }
  }
  assets::write_image(folder_ / "stored.png", stored);
  const ProgramEnd as_stored =
      photo3d({at("turned.jpg"), "--depth", at("stored.png"), "-o", at("stored.tmpi")});
  EXPECT_EQ(as_stored.exit_code, 0) << as_stored.err;
  EXPECT_THAT(as_stored.out, HasSubstr("EXIF"));
  EXPECT_EQ(text_of(folder_ / "stored.tmpi/multiplane.json"),
            text_of(folder_ / "upright.tmpi/multiplane.json"));

  // Another shape shows something else.
  assets::write_image(folder_ / "square.png", assets::Image16(60, 60, 1));
  const ProgramEnd refused =
      photo3d({at("photo.png"), "--depth", at("square.png"), "-o", at("square.tmpi")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("60x60"));
  EXPECT_FALSE(fs::exists(folder_ / "square.tmpi"));
}

TEST_F(Photo3dTest, BadInputsAreOneSentence) {
  const auto refused = [&](std::vector<std::string> words, const std::string& reason) {
    words.insert(words.end(), {"-o", at("never.tmpi")});
    const ProgramEnd end = photo3d(words);
    EXPECT_EQ(end.exit_code, 2) << end.out;
    EXPECT_THAT(end.err, HasSubstr(reason));
    EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
    EXPECT_FALSE(fs::exists(folder_ / "never.tmpi"));
  };
  refused({at("photo.png")}, "--depth FILE");
  refused({at("missing.png"), "--depth", at("depth.png")}, "missing.png");
  refused({at("photo.png"), "--depth", at("missing.png")}, "missing.png");
  refused({at("photo.png"), at("missing.png")}, "missing.png");
  refused({at("photo.png"), at("photo.png"), "--depth", at("depth.png")}, "leave one out");
  refused({at("photo.png"), "--depth", at("depth.png"), "--planner", "best"}, "adaptive");
  refused({at("photo.png"), "--depth", at("depth.png"), "--motion", "walk"}, "orbit");
  assets::Image16 all_zero(kWidth, kHeight, 1);
  all_zero.data.fill(0);
  assets::write_image(folder_ / "zero.png", all_zero);
  refused({at("photo.png"), "--depth", at("zero.png")}, "nothing is known");
  std::ofstream(folder_ / "broken.png") << "\x89PNG\r\n\x1a\n";
  refused({at("photo.png"), "--depth", at("broken.png")}, "broken.png");

  const ProgramEnd end = photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", at("x.obj")});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("x.tmpi"));
}

TEST_F(Photo3dTest, OptionsWithoutAUseAreRefused) {
  const auto refused = [&](std::vector<std::string> words, const std::string& option,
                           const std::string& reason) {
    words.insert(words.end(), {"-o", at("never.tmpi")});
    const ProgramEnd end = photo3d(words);
    EXPECT_EQ(end.exit_code, 2) << end.out;
    EXPECT_THAT(end.err, HasSubstr(option + ": "));
    EXPECT_THAT(end.err, HasSubstr(reason));
    EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
  };
  const std::vector<std::string> with_depth = {at("photo.png"), "--depth", at("depth.png")};
  const auto more = [](std::vector<std::string> words, std::initializer_list<const char*> others) {
    words.insert(words.end(), others.begin(), others.end());
    return words;
  };
  refused(more(with_depth, {"--views", "a,b"}), "--views",
          "of a capture, and the input is a photo with its depth map");
  refused(more(with_depth, {"--focal", "300", "--fov", "40"}), "--fov", "--focal");
  refused(more(with_depth, {"--frames", "9"}), "--frames", "films");
  refused(more(with_depth, {"-r", "6"}), "--resolution", "1, 2, 4 or 8");
  refused(more(with_depth, {"--depth-is", "inverse", "--depth-scale", "2"}), "--depth-scale",
          "inverse depth, which has no unit");
  refused(more(with_depth, {"--stereo-baseline", "0.1"}), "--stereo-baseline",
          "taken as depth; if they are disparities");
  refused(more(with_depth, {"--max-shift", "1000000"}), "--max-shift",
          "more than the photo's longer side");
  refused({at("photo.png"), at("photo.png"), "--steps", "3"}, "--steps", "a stereo pair");
  refused({at("photo.png"), at("photo.png"), "--depth-is", "depth"}, "--depth-is",
          "a photo with its depth map or a photo whose depth a network gives");
}

TEST_F(Photo3dTest, TheShareOfUnknownDepthIsSaid) {
  assets::Image16 depth = depth_in_millimeters();
  const auto clear_columns = [&](int count) {
    for (int y = 0; y < kHeight; ++y) std::fill_n(&depth.at(0, y), count, uint16_t{0});
    assets::write_image(folder_ / "holes.png", depth);
    return photo3d({at("photo.png"), "--depth", at("holes.png"), "-o", at("holes"), "--force",
                    "--frames", "1"});
  };
  const ProgramEnd some = clear_columns(kWidth / 4);
  ASSERT_EQ(some.exit_code, 0) << some.err;
  EXPECT_THAT(some.out, HasSubstr("unknown at 25.0 %"));
  EXPECT_NEAR(figures("holes")["unknown_share"], 0.25, 1e-9);
  const ProgramEnd most = clear_columns(kWidth * 3 / 4);
  EXPECT_THAT(most.err, HasSubstr("Warning: Depth is unknown at 75 %"));
}

TEST_F(Photo3dTest, TinyPhotosWork) {
  core::Image8 pixel(1, 1, 3);
  pixel.data.fill(200);
  assets::write_image(folder_ / "pixel.png", pixel);
  assets::Image16 depth(1, 1, 1);
  depth.data.fill(1000);
  assets::write_image(folder_ / "pixel_depth.png", depth);
  const ProgramEnd end =
      photo3d({at("pixel.png"), "--depth", at("pixel_depth.png"), "-o", at("pixel.tmpi")});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("the same everywhere"));
  ASSERT_EQ(run_program({"render", at("pixel.tmpi"), "-o", at("drawn.png")}).exit_code, 0);
  EXPECT_EQ(assets::read_image(folder_ / "drawn.png"), pixel);
}

TEST_F(Photo3dTest, ANetworkGivesDepth) {
  // Its squares of 4x4 pixels are as near as they are red.
  core::Image8 red(128, 96, 3);
  for (int y = 0; y < red.height; ++y) {
    for (int x = 0; x < red.width; ++x) {
      const uint8_t value = x > 40 && x < 90 && y > 30 && y < 70 ? 230 : 20;
      red.at(x, y, 0) = value;
      red.at(x, y, 1) = static_cast<uint8_t>(x);
      red.at(x, y, 2) = static_cast<uint8_t>(y);
    }
  }
  assets::write_image(folder_ / "red.png", red);
  const std::string networks = std::string(TESSERA_FIXTURES) + "/onnx/";
  const ProgramEnd end =
      photo3d({at("red.png"), "--depth-model", networks + "red_is_near.onnx", "-o", at("red")});
  if (end.err.find("tessera_depth_network.so") != std::string::npos) GTEST_SKIP() << end.err;
  ASSERT_EQ(end.exit_code, 0) << end.err;
  ASSERT_EQ(
      run_program({"render", at("red/scene.tmpi"), "-o", at("red.d.png"), "--depth"}).exit_code, 0);
  const assets::Image16 depth = assets::read_image16(folder_ / "red.d_depth.png");
  // The nearest is at 1 unit, the farthest at 5; planes are within 0.3 pixels of 5 that it moves.
  EXPECT_NEAR(1000.0 / depth.at(64, 50), 1, 0.05);
  EXPECT_NEAR(1000.0 / depth.at(110, 10), 0.2, 0.05);

  const ProgramEnd unknown =
      photo3d({at("red.png"), "--depth-model", networks + "unknown.onnx", "-o", at("never")});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("operator Wobble"));
  EXPECT_EQ(std::count(unknown.err.begin(), unknown.err.end(), '\n'), 1) << unknown.err;
  const ProgramEnd no_network =
      photo3d({at("red.png"), "--depth-model", at("red.png"), "-o", at("never")});
  EXPECT_EQ(no_network.exit_code, 2);
  EXPECT_THAT(no_network.err, HasSubstr("is no ONNX network"));
  EXPECT_FALSE(fs::exists(folder_ / "never"));
}

TEST_F(Photo3dTest, ARealStereoPair) {
  TESSERA_NEED_TEST_DATA(pair, "stereo/middlebury_cones");
  const std::string left = (pair / "im2.png").string();
  const std::string right = (pair / "im6.png").string();
  const ProgramEnd end = photo3d({left, right, "-o", at("cones"), "--frames", "4",
                                  "--stereo-baseline", "0.16", "--film-width", "100"});
  if (end.err.find("tessera_stereo.so") != std::string::npos) GTEST_SKIP() << end.err;
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const nlohmann::json run = figures("cones");
  EXPECT_TRUE(run["metric"]);
  EXPECT_GT(run["views"][0]["psnr"], 48);
  EXPECT_EQ(run["views"][1]["name"], "right photo");
  EXPECT_GT(run["views"][1]["psnr"], 22);

  const ProgramEnd exchanged = photo3d({right, left, "-o", at("exchanged")});
  EXPECT_EQ(exchanged.exit_code, 2);
  EXPECT_THAT(exchanged.err, HasSubstr("exchange the two photos"));
  EXPECT_FALSE(fs::exists(folder_ / "exchanged"));
}

TEST_F(Photo3dTest, PicturesThatAreNoPairAreRefused) {
  core::Image8 noise(kWidth, kHeight, 3);
  std::mt19937 random(1);
  for (uint8_t& value : noise.data) value = static_cast<uint8_t>(random());
  assets::write_image(folder_ / "noise.png", noise);
  const ProgramEnd end = photo3d({at("photo.png"), at("noise.png"), "-o", at("never")});
  if (end.err.find("tessera_stereo.so") != std::string::npos) GTEST_SKIP() << end.err;
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("no rectified pair"));
  EXPECT_EQ(std::count(end.err.begin(), end.err.end(), '\n'), 1) << end.err;
  EXPECT_FALSE(fs::exists(folder_ / "never"));
}

// Real photos from a hand's breadth apart, at a small size and for few steps.
TEST_F(Photo3dTest, SeveralPhotosOfACapture) {
  TESSERA_NEED_TEST_DATA(fox, "fox");
  const ProgramEnd end =
      photo3d({fox.string(), "-r", "80", "--views", "0001,0003,0004,0007", "--measure", "0002",
               "--steps", "8", "--planes", "16", "--frames", "2", "-o", at("fox")});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const nlohmann::json run = figures("fox");
  EXPECT_EQ(run["made_of"], "4 photos");
  ASSERT_EQ(run["views"].size(), 1U);
  EXPECT_EQ(run["views"][0]["name"], "images/0002.jpg");
  EXPECT_GT(run["views"][0]["inner_psnr"], 26);
  EXPECT_TRUE(fs::exists(folder_ / "fox/view.html"));
  EXPECT_GT(run["fitted"]["mean_psnr"], 28);
  EXPECT_LE(run["fitted"]["worst_psnr"], run["fitted"]["mean_psnr"]);
  EXPECT_THAT(end.err, Not(HasSubstr("blurred")));
  const ProgramEnd apart = photo3d({fox.string(), "-r", "80", "--views", "0001,0022,0030",
                                    "--steps", "8", "--planes", "16", "-o", at("apart.tmpi")});
  EXPECT_EQ(apart.exit_code, 0) << apart.err;
  EXPECT_THAT(apart.err, HasSubstr("views will be blurred"));

  const ProgramEnd unknown =
      photo3d({fox.string(), "-r", "80", "--views", "0001,9999", "-o", at("never")});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--views"));
  const ProgramEnd one = photo3d({fox.string(), "-r", "80", "--views", "0001", "-o", at("never")});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.err, HasSubstr("at least two"));
  EXPECT_FALSE(fs::exists(folder_ / "never"));
}

TEST_F(Photo3dTest, AViewOfAGaussianScene) {
  ASSERT_EQ(run_program(
                {"reconstruct", TESSERA_SAMPLE, "-o", at("run"), "-r", "8", "-n", "60", "--quiet"})
                .exit_code,
            0);
  const ProgramEnd end = photo3d({at("run"), "--capture", TESSERA_SAMPLE, "--camera",
                                  "DSC_0423.JPG", "-r", "4", "-o", at("scene.tmpi")});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  const core::MultiplaneImage image = assets::read_multiplane(folder_ / "scene.tmpi");
  EXPECT_EQ(image.camera.camera.width, 125);
  // The sample's cameras stand some 3 to 5 units from the bananas.
  std::vector<double> depths;
  for (const core::MultiplaneLayer& layer : image.layers) {
    depths.push_back(1 / core::inverse_depth_at_middle(layer, image.camera.camera));
  }
  std::sort(depths.begin(), depths.end());
  EXPECT_NEAR(depths.at(depths.size() / 4), 4, 1.5);

  const ProgramEnd without = photo3d({at("run"), "--capture", TESSERA_SAMPLE, "-o", at("n.tmpi")});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("--camera"));
}

}  // namespace
}  // namespace tessera::test
