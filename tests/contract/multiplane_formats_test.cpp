// What every format of multiplane images in the table keeps: what was written is read again, a
// folder of others is not replaced, and damaged files end in a sentence, never in a crash.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "assets/multiplane_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/multiplane_scenes.h"
#include "tests/support/mutations.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Tiles of slanted layers, an empty layer, and two pages.
core::MultiplaneImage made_image() {
  core::MultiplaneImageF image = test::tiled_image(70, 45, 32, 28, 2, 0.3, 0, 5);
  image.layers.push_back({{0, 0, 0.25F}, {-3, 4, 0, 0}, 0, 0, 0});
  image.metric = true;
  return test::in_bytes(image);
}

void expect_same(const core::MultiplaneImage& read, const core::MultiplaneImage& image) {
  EXPECT_EQ(read.camera.camera, image.camera.camera);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(read.camera.cam_from_world.rotation.m[i][j],
                image.camera.cam_from_world.rotation.m[i][j]);
    }
  }
  EXPECT_EQ(read.camera.cam_from_world.translation.x, image.camera.cam_from_world.translation.x);
  EXPECT_EQ(read.camera.cam_from_world.translation.y, image.camera.cam_from_world.translation.y);
  EXPECT_EQ(read.camera.cam_from_world.translation.z, image.camera.cam_from_world.translation.z);
  EXPECT_EQ(read.metric, image.metric);
  EXPECT_EQ(read.layers, image.layers);
  ASSERT_EQ(read.pages.size(), image.pages.size());
  for (size_t i = 0; i < image.pages.size(); ++i) EXPECT_EQ(read.pages[i], image.pages[i]) << i;
}

class MultiplaneFormatContract : public ::testing::TestWithParam<const MultiplaneFormatEntry*> {
 protected:
  const MultiplaneFormatEntry& format() const { return *GetParam(); }
  fs::path file() const { return folder_ / ("scene" + std::string(format().extensions.front())); }

  test::TemporaryFolder folder_;
};

TEST_P(MultiplaneFormatContract, WhatWasWrittenIsReadAgain) {
  const core::MultiplaneImage image = made_image();
  check_multiplane_writable(file(), "--output");
  write_multiplane(file(), image);
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_FALSE(fs::exists(file().string() + ".tmp"));
  if (format().read == nullptr) {
    EXPECT_FALSE(multiplane_losses(file(), image).empty());
    EXPECT_THROW(read_multiplane(file()), core::IoError);
    return;
  }
  const core::MultiplaneImage read = read_multiplane(file());
  if (multiplane_losses(file(), image).empty()) expect_same(read, image);
}

TEST_P(MultiplaneFormatContract, AnImageOfItsOwnIsReplacedWhole) {
  core::MultiplaneImage image = made_image();
  write_multiplane(file(), image);
  image.layers.resize(1);
  image.pages.resize(1);
  write_multiplane(file(), image);
  if (format().read != nullptr && multiplane_losses(file(), image).empty()) {
    expect_same(read_multiplane(file()), image);
  }
}

TEST_P(MultiplaneFormatContract, AFolderOfOthersStays) {
  fs::create_directory(file());
  std::ofstream(file() / "diary.txt") << "dear diary";
  EXPECT_THROW(check_multiplane_writable(file(), "--output"), core::IoError);
  EXPECT_THROW(write_multiplane(file(), made_image()), core::IoError);
  EXPECT_EQ(core::read_text_file(file() / "diary.txt"), "dear diary");
  if (!format().is_folder) return;
  fs::remove(file() / "diary.txt");
  write_multiplane(file(), made_image());  // an empty one is taken
  std::ofstream(file() / "diary.txt") << "dear diary";
  EXPECT_THROW(write_multiplane(file(), made_image()), core::IoError);
  EXPECT_EQ(core::read_text_file(file() / "diary.txt"), "dear diary");
}

TEST_P(MultiplaneFormatContract, ImagesThatCannotBeShownAreRefused) {
  core::MultiplaneImage image = made_image();
  image.layers[3].page = 1000;
  EXPECT_THROW(write_multiplane(file(), image), core::Error);
  image = made_image();
  image.layers[0].plane.z = NAN;
  EXPECT_THROW(write_multiplane(file(), image), core::Error);
  EXPECT_TRUE(folder_.names().empty());
}

std::vector<const MultiplaneFormatEntry*> all_formats() {
  std::vector<const MultiplaneFormatEntry*> result;
  for (const MultiplaneFormatEntry& format : multiplane_formats()) result.push_back(&format);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Formats, MultiplaneFormatContract, ::testing::ValuesIn(all_formats()),
                         [](const auto& format) { return std::string(format.param->name); });

TEST(MultiplaneFormatTable, NamesAndExtensionsAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (const MultiplaneFormatEntry& format : multiplane_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    ASSERT_FALSE(format.extensions.empty());
    for (const std::string_view extension : format.extensions) {
      EXPECT_TRUE(extensions.insert(extension).second);
      EXPECT_TRUE(extension.starts_with('.'));
    }
    EXPECT_NE(format.losses, nullptr);
    EXPECT_EQ(format.is_folder, format.holds_nothing_else != nullptr);
  }
}

TEST(MultiplaneFormatTable, UnknownOnesAreRefusedInWords) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(check_multiplane_writable(folder / "scene.xyz", "--output"), core::UsageError);
  EXPECT_THROW(check_multiplane_writable(folder / "scene", "--output", {"nothing", 32}),
               core::UsageError);
  try {
    read_multiplane(folder / "scene.tmpi");
    FAIL();
  } catch (const core::IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no such file or folder"));
  }
}

}  // namespace
}  // namespace tessera::assets
