// The JSON of multiplane images, ours and others': what is refused, and in which words.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "assets/multiplane_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/one_layer.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

// A change of the JSON, and words of the sentence that refuses it.
struct BadValue {
  const char* pointer;  // within the JSON of the layers
  const char* value;
  const char* words;
};

constexpr BadValue kBadValues[] = {
    {"/camera/width", "2147483648", "no whole number"},
    {"/camera/width", "0", "has 0x8 pixels"},
    {"/camera/width", "-8", "pixels"},
    {"/camera/height", "70000", "at most 65535 on a side"},
    {"/camera/fx", "0", "focal length"},
    {"/camera/fx", "null", "no finite number as the camera's fx"},
    {"/camera/cam_from_world/0/0", "2", "no rigid motion"},
    {"/camera/cam_from_world/1", "[0, 1, 0]", "no list of 4"},
    {"/camera/cam_from_world", "[]", "no list of 3"},
    {"/metric", "1", "no true or false"},
    {"/layers", "7", "no list as \"layers\""},
    {"/layers/0", "[]", "no \"plane\" in layer 0"},
    {"/layers/0/plane/2", "null", "no finite number as plane of layer 0"},
    {"/layers/0/plane/2", "1e300", "plane of layer 0 is not finite"},
    {"/layers/0/window/2", "-5", "window of -5x8 pixels in layer 0"},
    {"/layers/0/window/2", "4294967296", "no whole number"},
    {"/layers/0/window/3", "11", "does not lie on page 0"},
    {"/layers/0/page", "1", "does not lie on page 1"},
    {"/layers/0/page", "-1", "does not lie on page -1"},
    {"/layers/0/page", "0.5", "no whole number"},
    {"/layers/0/at/0", "5", "does not lie on page 0"},
    {"/layers/0/at/1", "-1", "does not lie on page 0"},
    {"/layers/0/at/1", "\"2\"", "no whole number"},
};

class MultiplaneJsonTest : public ::testing::Test {
 protected:
  std::string refusal(const fs::path& path) const {
    try {
      read_multiplane(path);
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      return error.what();
    }
    return "";
  }
  void write_text(const fs::path& path, const std::string& text) const {
    std::ofstream(path, std::ios::binary) << text;
  }

  test::TemporaryFolder folder_;
};

TEST_F(MultiplaneJsonTest, BadValuesAreRefusedInWords) {
  write_multiplane(folder_ / "a.tmpi", test::one_layer());
  write_multiplane(folder_ / "a.gltf", test::one_layer());
  const fs::path tmpi = folder_ / "a.tmpi" / "multiplane.json";
  const fs::path gltf = folder_ / "a.gltf";
  const json tmpi_root = json::parse(core::read_text_file(tmpi));
  const json gltf_root = json::parse(core::read_text_file(gltf));
  for (const BadValue& bad : kBadValues) {
    SCOPED_TRACE(std::string(bad.pointer) + " = " + bad.value);
    const json::json_pointer pointer(bad.pointer);
    json root = tmpi_root;
    root[pointer] = json::parse(bad.value);
    write_text(tmpi, root.dump());
    EXPECT_THAT(refusal(folder_ / "a.tmpi"), HasSubstr(bad.words));
    root = gltf_root;
    root["nodes"][0]["extras"]["tessera_multiplane"][pointer] = json::parse(bad.value);
    write_text(gltf, root.dump());
    EXPECT_THAT(refusal(gltf), HasSubstr(bad.words));
  }
}

TEST_F(MultiplaneJsonTest, PagesElsewhereAreNotRead) {
  write_multiplane(folder_ / "a.tmpi", test::one_layer());
  fs::copy_file(folder_ / "a.tmpi" / "page_0.png", folder_ / "page_0.png");
  const fs::path file = folder_ / "a.tmpi" / "multiplane.json";
  json root = json::parse(core::read_text_file(file));
  for (const std::string& name :
       {std::string("../page_0.png"), (folder_ / "page_0.png").string(), std::string(".."),
        std::string("page_0.png\0", 11), std::string()}) {
    root["pages"][0]["file"] = name;
    write_text(file, root.dump());
    EXPECT_THAT(refusal(folder_ / "a.tmpi"), HasSubstr("no plain file name in page 0"));
  }
  root["pages"][0] = {{"file", "page_0.png"}, {"width", 12}, {"height", 13}};
  write_text(file, root.dump());
  EXPECT_THAT(refusal(folder_ / "a.tmpi"), HasSubstr("has 12x12 pixels, but multiplane.json says"));
}

TEST_F(MultiplaneJsonTest, PicturesOfAGltfElsewhereAreNotRead) {
  write_multiplane(folder_ / "a.gltf", test::one_layer());
  fs::create_directory(folder_ / "sub");
  const json whole = json::parse(core::read_text_file(folder_ / "a.gltf"));
  const auto name = whole["images"][0]["uri"].get<std::string>();
  fs::copy_file(folder_ / name, folder_ / "sub" / name);
  for (const std::string& uri :
       {"sub/" + name, "sub%2F" + name, "..%2f" + name, std::string("..")}) {
    json root = whole;
    root["images"][0]["uri"] = uri;
    write_text(folder_ / "a.gltf", root.dump());
    EXPECT_THAT(refusal(folder_ / "a.gltf"), HasSubstr("no plain file name in image 0"));
  }
  json root = whole;
  root["images"][0] = {{"bufferView", 0}};
  root["bufferViews"][0] = {{"buffer", 0}, {"byteOffset", 8}, {"byteLength", 4294967295}};
  write_text(folder_ / "a.gltf", root.dump());
  EXPECT_THAT(refusal(folder_ / "a.gltf"), HasSubstr("bufferView of 4294967295 bytes at 8"));
  root["images"][0] = {{"bufferView", 77}};
  write_text(folder_ / "a.gltf", root.dump());
  EXPECT_THAT(refusal(folder_ / "a.gltf"), HasSubstr("no bufferView 77"));
}

TEST_F(MultiplaneJsonTest, OddJsonIsRefused) {
  fs::create_directory(folder_ / "a.tmpi");
  const fs::path file = folder_ / "a.tmpi" / "multiplane.json";
  const std::pair<std::string, const char*> texts[] = {
      {std::string(100000, '['), "nests deeper than 64 levels"},
      {"{\"format\": \"other\"}", "is not marked as"},
      {"{\"format\": \"tessera multiplane image\", \"version\": 2}", "is of version 2"},
      {"{\"format\": 1e999}", "is not valid JSON"},
      {"[]", "has no \"format\" in its root"},
      {"null", "has no \"format\" in its root"},
      {"", "is not valid JSON"},
  };
  for (const auto& [text, words] : texts) {
    write_text(file, text);
    EXPECT_THAT(refusal(folder_ / "a.tmpi"), HasSubstr(words)) << text.substr(0, 60);
  }
}

TEST_F(MultiplaneJsonTest, AGltfOfOthersIsRefusedInOneSentence) {
  write_text(folder_ / "b.gltf", R"({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}]})");
  EXPECT_THAT(refusal(folder_ / "b.gltf"), HasSubstr("other meshes are not read"));
  write_text(folder_ / "b.gltf", R"({"nodes": [{"extras": {"tessera_multiplane": 1}}]})");
  EXPECT_THAT(refusal(folder_ / "b.gltf"), HasSubstr("no \"version\" in tessera_multiplane"));
}

}  // namespace
}  // namespace tessera::assets
