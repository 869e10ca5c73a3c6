// Layered glTF held to the rules of glTF 2.0 that validators check, and what stands in it.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assets/bytes.h"
#include "assets/formats/multiplane/straight_alpha.h"
#include "assets/multiplane_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/multiplane_scenes.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(StraightAlpha, EveryPremultipliedTexelComesBack) {
  for (int alpha = 0; alpha < 256; ++alpha) {
    for (int value = 0; value < 256; ++value) {
      const int back = premultiplied(straight(value, alpha), alpha);
      EXPECT_EQ(back, std::min(value, alpha)) << value << " of " << alpha;
    }
  }
}

TEST(StraightAlpha, TransparentTexelsTakeTheColorBesideThem) {
  core::Image8 page(9, 1, 4);
  page.data.fill(0);
  page.at(0, 0, 0) = 100;
  page.at(0, 0, 3) = 200;
  const core::Image8 straight = straight_page(page);
  for (int x = 0; x <= 4; ++x) EXPECT_EQ(straight.at(x, 0, 0), 128) << x;
  EXPECT_EQ(straight.at(5, 0, 0), 0);
  EXPECT_EQ(straight.at(1, 0, 3), 0);
  EXPECT_EQ(premultiplied_page(straight), page);
}

struct Glb {
  json root;
  core::Array<uint8_t> bytes;
  const uint8_t* binary = nullptr;
  int64_t binary_size = 0;
};

Glb glb_of(const core::MultiplaneImage& image) {
  const test::TemporaryFolder folder;
  write_multiplane(folder / "a.glb", image);
  Glb glb;
  glb.bytes = core::read_file(folder / "a.glb");
  const uint8_t* bytes = glb.bytes.data();
  EXPECT_EQ(load<uint32_t>(bytes + 8), glb.bytes.size());
  const int64_t json_size = load<uint32_t>(bytes + 12);
  EXPECT_EQ(json_size % 4, 0);
  glb.root = json::parse(bytes + 20, bytes + 20 + json_size);
  glb.binary = bytes + 28 + json_size;
  glb.binary_size = load<uint32_t>(bytes + 20 + json_size);
  EXPECT_EQ(glb.binary_size % 4, 0);
  EXPECT_EQ(28 + json_size + glb.binary_size, glb.bytes.size());
  return glb;
}

TEST(LayeredGltf, KeepsTheRulesOfTheFormat) {
  const Glb glb = glb_of(test::in_bytes(test::tiled_image(70, 45, 32, 28, 2, 0.3, 0, 5)));
  const json& root = glb.root;
  EXPECT_EQ(root["asset"]["version"], "2.0");
  ASSERT_EQ(root["buffers"].size(), 1);
  EXPECT_EQ(root["buffers"][0]["byteLength"], glb.binary_size);
  EXPECT_FALSE(root["buffers"][0].contains("uri"));
  for (const json& view : root["bufferViews"]) {
    EXPECT_EQ(view["byteOffset"].get<int64_t>() % 4, 0);
    EXPECT_LE(view["byteOffset"].get<int64_t>() + view["byteLength"].get<int64_t>(),
              glb.binary_size);
  }
  for (const json& accessor : root["accessors"]) {
    const json& view = root["bufferViews"][accessor["bufferView"].get<size_t>()];
    const int64_t offset = accessor.value("byteOffset", 0);
    const int64_t components = accessor["type"] == "VEC3" ? 3 : accessor["type"] == "VEC2" ? 2 : 1;
    EXPECT_GT(accessor["count"].get<int64_t>(), 0);
    EXPECT_LE(offset + 4 * components * accessor["count"].get<int64_t>(),
              view["byteLength"].get<int64_t>());
    EXPECT_EQ(offset % 4, 0);
  }
  for (const json& image : root["images"]) {
    const json& view = root["bufferViews"][image["bufferView"].get<size_t>()];
    EXPECT_EQ(image["mimeType"], "image/png");
    EXPECT_EQ(glb.binary[view["byteOffset"].get<int64_t>() + 1], 'P');
  }
  EXPECT_EQ(root["textures"].size(), root["images"].size());
  EXPECT_EQ(root["materials"].size(), root["images"].size());
  for (const json& material : root["materials"]) {
    EXPECT_EQ(material["alphaMode"], "BLEND");
    EXPECT_EQ(material["doubleSided"], true);
    EXPECT_TRUE(material["extensions"].contains("KHR_materials_unlit"));
  }
  EXPECT_EQ(root["samplers"][0]["wrapS"], 33071);
}

TEST(LayeredGltf, ItsCornersAndBoundsAreThoseOfTheLayers) {
  core::MultiplaneImageF image;
  image.camera = test::pinhole_camera(40, 30);
  test::add_layer(image, {0, 0, 0.5F}, {10, 5, 20, 16}, 1, 3);
  test::add_layer(image, {0, 0, 0.25F}, {0, 0, 40, 30}, 1, 4);
  const Glb glb = glb_of(test::in_bytes(image));
  const json& accessors = glb.root["accessors"];
  const auto* positions = reinterpret_cast<const float*>(
      glb.binary + glb.root["bufferViews"][0]["byteOffset"].get<int64_t>());
  ASSERT_EQ(accessors[0]["count"], 8);
  for (int axis = 0; axis < 3; ++axis) {
    float least = positions[axis], most = positions[axis];
    for (int i = 0; i < 8; ++i) {
      least = std::min(least, positions[3 * i + axis]);
      most = std::max(most, positions[3 * i + axis]);
    }
    EXPECT_EQ(accessors[0]["min"][axis].get<float>(), least);
    EXPECT_EQ(accessors[0]["max"][axis].get<float>(), most);
  }
  // The far layer first: y up, z back. Its page has no clear border, so it ends half a texel
  // within its window.
  const core::Camera& c = image.camera.camera;
  EXPECT_FLOAT_EQ(positions[0], static_cast<float>(4 * (0.5 - c.cx) / c.fx));
  EXPECT_FLOAT_EQ(positions[1], static_cast<float>(-4 * (0.5 - c.cy) / c.fy));
  EXPECT_FLOAT_EQ(positions[2], -4);
  EXPECT_FLOAT_EQ(positions[12], static_cast<float>(2 * (10.5 - c.cx) / c.fx));
  EXPECT_FLOAT_EQ(positions[14], -2);
  const json& perspective = glb.root["cameras"][0]["perspective"];
  EXPECT_DOUBLE_EQ(perspective["yfov"], 2 * std::atan(0.5 * c.height / c.fy));
}

TEST(LayeredGltf, TheNodeStandsWhereTheCameraDoes) {
  core::MultiplaneImageF image;
  image.camera = test::pinhole_camera(40, 30);
  image.camera.cam_from_world.translation = {1, 2, 3};  // the camera's center is at -1, -2, -3
  test::add_layer(image, {0, 0, 0.5F}, {10, 5, 20, 16}, 1, 3);
  const json matrix = glb_of(test::in_bytes(image)).root["nodes"][0]["matrix"];
  EXPECT_EQ(matrix, json::parse("[1,0,0,0, 0,1,0,0, 0,0,1,0, -1,2,3,1]"));
}

TEST(LayeredGltf, WhatAnOlderOneHadBesideItIsRemovedAndOthersFilesStay) {
  const test::TemporaryFolder folder;
  core::MultiplaneImage image = test::in_bytes(test::tiled_image(40, 30, 32, 28, 1, 0.3, 0, 5));
  write_multiplane(folder / "my scene.gltf", image);
  const std::vector<std::string> first = folder.names();
  EXPECT_EQ(first.size(), 2 + image.pages.size());
  core::write_file_atomically(folder / "my scene-0123456789abcdef.png", std::string_view("mine"));
  image.pages[0].data.fill(9);
  write_multiplane(folder / "my scene.gltf", image);
  EXPECT_EQ(folder.names().size(), first.size() + 1);
  EXPECT_EQ(read_multiplane(folder / "my scene.gltf").pages[0], image.pages[0]);
  EXPECT_TRUE(fs::exists(folder / "my scene-0123456789abcdef.png"));
}

TEST(LayeredGltf, OneThatCannotBeWrittenWholeLeavesNothingBesideIt) {
  const test::TemporaryFolder folder;
  const core::MultiplaneImage image =
      test::in_bytes(test::tiled_image(40, 30, 32, 28, 1, 0.3, 0, 5));
  write_multiplane(folder / "x.gltf", image);
  std::string picture;
  for (const std::string& name : folder.names()) {
    if (name.ends_with(".png")) picture = name;
    fs::remove(folder / name);
  }
  fs::create_directories(folder / picture / "in the way");
  EXPECT_THROW(write_multiplane(folder / "x.gltf", image), core::IoError);
  EXPECT_EQ(folder.names(), std::vector<std::string>{picture});
}

// Texels are pixels of the reference, so they are projective over a slanted plane: at the middle of
// every triangle's edges the pixel seen there is the texel within an eighth or so.
TEST(LayeredGltf, TexelsOfSlantedLayersAreWhereTheReferenceSeesThem) {
  core::MultiplaneImageF image;
  image.camera = test::pinhole_camera(64, 64);
  const core::Camera& c = image.camera.camera;
  test::add_layer(image, test::slanted_plane(c, 0.5, 0.6, -0.1), {0, 0, 64, 64}, 1, 3);
  const Glb glb = glb_of(test::in_bytes(image));
  const auto view = [&](int i) {
    return glb.binary + glb.root["bufferViews"][i]["byteOffset"].get<int64_t>();
  };
  const auto* positions = reinterpret_cast<const float*>(view(0));
  const auto* texels = reinterpret_cast<const float*>(view(1));
  const auto* indices = reinterpret_cast<const uint32_t*>(view(2));
  const int64_t count = glb.root["accessors"][2]["count"].get<int64_t>();
  EXPECT_GT(count, 6);
  double farthest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t a = indices[i];
    const uint32_t b = indices[i % 3 == 2 ? i - 2 : i + 1];
    const auto middle = [&](const float* values, int per_corner, int k) {
      return 0.5 * (static_cast<double>(values[per_corner * a + k]) + values[per_corner * b + k]);
    };
    const double depth = -middle(positions, 3, 2);
    const double x = middle(positions, 3, 0) / depth * c.fx + c.cx;
    const double y = -middle(positions, 3, 1) / depth * c.fy + c.cy;
    const double u = middle(texels, 2, 0) * image.pages[0].width - image.layers[0].x;
    const double v = middle(texels, 2, 1) * image.pages[0].height - image.layers[0].y;
    farthest = std::max(farthest, std::hypot(x - u, y - v));
  }
  EXPECT_LT(farthest, 0.2);
  EXPECT_GT(farthest, 0.05);
}

TEST(LayeredGltf, WhatIsBeyondAPlanesHorizonIsCutOff) {
  core::MultiplaneImageF image;
  image.camera = test::pinhole_camera(48, 48);
  test::add_layer(image, test::slanted_plane(image.camera.camera, 0.02, 0.3, 0.05), {0, 0, 48, 48},
                  1, 42);
  test::add_layer(image, {0, 0, -0.5F}, {0, 0, 48, 48}, 1, 40);
  const Glb glb = glb_of(test::in_bytes(image));
  const double nearest = -glb.root["accessors"][0]["max"][2].get<double>();
  const double farthest = -glb.root["accessors"][0]["min"][2].get<double>();
  EXPECT_GT(nearest, 0);
  EXPECT_NEAR(farthest / nearest, 1000, 0.01);
}

}  // namespace
}  // namespace tessera::assets
