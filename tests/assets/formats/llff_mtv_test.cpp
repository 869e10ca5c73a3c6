// The files of LLFF and MTV folders, as their own programs read them.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/multiplane_scenes.h"
#include "tests/support/multiplane_videos.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Two layers that face the camera, which stands at (-1, -2, -3) without being turned.
core::MultiplaneImage two_planes() {
  core::MultiplaneImageF image;
  image.camera = test::pinhole_camera(20, 10);
  core::Camera& camera = image.camera.camera;
  camera.fx = camera.fy = 25;
  camera.cx = 10;
  camera.cy = 5;
  image.camera.cam_from_world.translation = {1, 2, 3};
  test::add_layer(image, {0, 0, 0.25F}, {0, 0, 20, 10}, 1, 4);
  test::add_layer(image, {0, 0, 0.5F}, {5, 2, 8, 4}, 1, 3);
  return test::in_bytes(image);
}

TEST(Llff, TheFilesAreThoseOfItsViewer) {
  const test::TemporaryFolder folder;
  write_multiplane(folder / "a.llff", two_planes(), {"", 4});
  EXPECT_EQ(core::read_text_file(folder / "a.llff" / "metadata.txt"), "1 20 10 4\n");
  EXPECT_EQ(core::read_text_file(folder / "a.llff" / "mpi00" / "metadata.txt"),
            "10 20 4 25\n1 0 0\n-0 -1 -0\n-0 -0 -1\n-1 -2 -3\n4 2\n");
  const core::Array<uint8_t> texels = core::read_file(folder / "a.llff" / "mpi00" / "mpi.b");
  ASSERT_EQ(texels.size(), 4 * 10 * 20 * 4);
  const core::MultiplaneImage image = two_planes();
  const auto texel = [&](int plane, int x, int y) {
    return texels.data() + ((plane * 10 + y) * 20 + x) * 4;
  };
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(texel(0, 7, 3)[c], image.pages[0].at(3 + 7, 1 + 3, c));
    EXPECT_EQ(texel(3, 7, 3)[c], image.pages[1].at(3 + 2, 1 + 1, c));
    EXPECT_EQ(texel(1, 7, 3)[c], 0);
    EXPECT_EQ(texel(3, 1, 1)[c], 0);
  }
}

TEST(Llff, OneOfOurImagesComesBackAsPlanes) {
  const test::TemporaryFolder folder;
  write_multiplane(folder / "a", two_planes(), {"llff", 4});
  for (const fs::path& path : {folder / "a", folder / "a" / "mpi00"}) {
    const core::MultiplaneImage read = read_multiplane(path);
    ASSERT_EQ(read.layers.size(), 2);
    EXPECT_FLOAT_EQ(read.layers[0].plane.z, 0.25F);
    EXPECT_FLOAT_EQ(read.layers[1].plane.z, 0.5F);
    EXPECT_EQ(read.layers[1].window, (core::PixelWindow{5, 2, 8, 4}));
    EXPECT_EQ(read.camera.cam_from_world.translation.z, 3);
    EXPECT_EQ(read.camera.camera.fx, 25);
  }
}

TEST(Llff, SeveralImagesAndWrongSizesAreRefused) {
  const test::TemporaryFolder folder;
  write_multiplane(folder / "a.llff", two_planes(), {"", 4});
  const auto refusal = [&](const char* file, const char* text) {
    std::ofstream(folder / "a.llff" / file) << text;
    try {
      read_multiplane(folder / "a.llff");
    } catch (const core::IoError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refusal("mpi00/metadata.txt", "10 20 5 25\n1 0 0\n0 -1 0\n0 0 -1\n0 0 0\n4 2\n"),
              HasSubstr("has 3200 bytes, but 5 planes of 20x10 texels have 4000"));
  EXPECT_THAT(refusal("mpi00/metadata.txt", "10 20 4 25\n1 0 0\n0 -1 0\n0 0 -1\n0 0 0\n2 4\n"),
              HasSubstr("planes from depth 2 to 4"));
  EXPECT_THAT(refusal("mpi00/metadata.txt", "10 20 4 25\n1 0 0\n0 1 0\n0 0 -1\n0 0 0\n4 2\n"),
              HasSubstr("no rotation"));
  EXPECT_THAT(refusal("mpi00/metadata.txt", "2147483648 20 4 25\n1 0 0\n0 1 0\n0 0 -1\n0 0 0\n4 2"),
              HasSubstr("number of pixels"));
  EXPECT_THAT(refusal("mpi00/metadata.txt", "10 20 4 nan"), HasSubstr("has 3 numbers"));
  EXPECT_THAT(refusal("metadata.txt", "3 20 10 4\n"), HasSubstr("holds 3 multiplane images"));
}

TEST(Llff, TooFewOrTooManyPlanesAreRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(write_multiplane(folder / "a.llff", two_planes(), {"", 1}), core::UsageError);
  EXPECT_THROW(write_multiplane(folder / "a.llff", two_planes(), {"", 5000}), core::UsageError);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Mtv, AMeshWithRedCornersAndAStaticPicture) {
  const test::TemporaryFolder folder;
  write_multiplane(folder / "a.mtv", two_planes());
  std::istringstream text(core::read_text_file(folder / "a.mtv" / "geometry.obj"));
  int vertices = 0, texels = 0, faces = 0;
  double last_depth = 1e9;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      double x, y, z, r, g, b;
      ASSERT_TRUE(words >> x >> y >> z >> r >> g >> b);
      EXPECT_EQ(r, 1);
      EXPECT_EQ(g + b, 0);
      EXPECT_LE(z, last_depth + 1e-9);
      last_depth = z;
    }
    vertices += kind == "v" ? 1 : 0;
    texels += kind == "vt" ? 1 : 0;
    faces += kind == "f" ? 1 : 0;
  }
  EXPECT_EQ(vertices, 8);
  EXPECT_EQ(texels, 8);
  EXPECT_EQ(faces, 4);
  const core::Image8 picture = read_image(folder / "a.mtv" / "static.png");
  EXPECT_EQ(picture.width, 25);
  EXPECT_EQ(picture.height, 13 + 7);
  const nlohmann::json meta =
      nlohmann::json::parse(core::read_text_file(folder / "a.mtv" / "meta.json"));
  EXPECT_EQ(meta["frame_count"], 0);
  EXPECT_NEAR(meta["fov"].get<double>(), 22.6199, 1e-4);
  EXPECT_DOUBLE_EQ(meta["near"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(meta["far"].get<double>(), 4);
}

TEST(Mtv, GreenCornersWhereTilesMoveAndAPictureAFrame) {
  const test::TemporaryFolder folder;
  core::MultiplaneVideo video;
  video.image = two_planes();
  core::Image8 dimmed = video.image.pages[1];
  for (uint8_t& value : dimmed.data) value /= 2;
  video.moving = {{1, {video.image.pages[1], dimmed, video.image.pages[1]}}};
  video.frames_per_second = 30;
  write_multiplane(folder / "a.mtv", video);
  std::istringstream text(core::read_text_file(folder / "a.mtv" / "geometry.obj"));
  int red = 0, green = 0;
  std::vector<std::pair<double, double>> texels;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    double x, y, z, r, g, b;
    if (kind == "vt" && words >> x >> y) texels.emplace_back(x, y);
    if (kind != "v") continue;
    ASSERT_TRUE(words >> x >> y >> z >> r >> g >> b);
    // The nearer layer is the one that moves.
    EXPECT_DOUBLE_EQ(z, g == 1 ? 2 : 4);
    EXPECT_EQ(r, 1 - g);
    EXPECT_EQ(b, 0);
    (g == 1 ? green : red) += 1;
  }
  EXPECT_EQ(red, 4);
  EXPECT_EQ(green, 4);
  // Each in its own picture, from the page's upper left corner.
  EXPECT_NEAR(texels.at(4).first * 13, 3.5, 1e-6);
  EXPECT_NEAR((1 - texels.at(4).second) * 7, 1.5, 1e-6);
  EXPECT_EQ(read_image(folder / "a.mtv" / "static.png").height, 13);
  const core::Image8 first = read_image(folder / "a.mtv" / "dynamic" / "0000.png");
  const core::Image8 second = read_image(folder / "a.mtv" / "dynamic" / "0001.png");
  EXPECT_EQ(first.width, 13);
  EXPECT_EQ(first.height, 7);
  EXPECT_EQ(first.at(5, 3, 3) / 2, second.at(5, 3, 3));
  EXPECT_TRUE(fs::exists(folder / "a.mtv" / "dynamic" / "0002.png"));
  EXPECT_FALSE(fs::exists(folder / "a.mtv" / "dynamic" / "0003.png"));
  const nlohmann::json meta =
      nlohmann::json::parse(core::read_text_file(folder / "a.mtv" / "meta.json"));
  EXPECT_EQ(meta["frame_count"], 3);
  EXPECT_EQ(meta["fps"], 30);
  // One of ours is replaced, its frames too; a folder in which others put something is not.
  write_multiplane(folder / "a.mtv", two_planes());
  EXPECT_FALSE(fs::exists(folder / "a.mtv" / "dynamic"));
  write_multiplane(folder / "a.mtv", video);
  std::ofstream(folder / "a.mtv" / "dynamic" / "diary.txt") << "dear diary";
  EXPECT_THROW(write_multiplane(folder / "a.mtv", two_planes()), core::IoError);
}

}  // namespace
}  // namespace tessera::assets
