// Damaged pictures: each is read or refused by an error that names the file, and nothing else
// happens.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <fstream>

#include "assets/photos/image_io.h"
#include "core/error.h"
#include "tests/assets/photos/made_images.h"
#include "tests/support/mutations.h"
#include "tests/support/temporary_folder.h"

namespace tessera::tests {
namespace {

using ::testing::HasSubstr;

void read_damaged(const std::string& name, const std::vector<uint8_t>& bytes) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / name;
  const std::string whole(bytes.begin(), bytes.end());
  int refused = 0;
  constexpr int kCopies = 600;
  for (int i = 0; i < kCopies; ++i) {
    std::filesystem::remove(path);  // some file systems sync what is written over
    std::ofstream(path, std::ios::binary) << damaged(whole, i);
    try {
      const core::Image8 image = assets::read_image(path);
      EXPECT_EQ(image.data.size(), image.pixel_count() * image.channels);
      const assets::ImageInfo info = assets::probe_image(path);
      EXPECT_EQ(info.width, image.width);
      EXPECT_EQ(info.height, image.height);
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST(DamagedImages, Jpeg) {
  read_damaged("baseline.jpg", assets::encode_jpeg(gradient_image(3)));
  read_damaged("progressive.jpg", make_progressive_jpeg(gradient_image(3)));
}

TEST(DamagedImages, Png) {
  read_damaged("plain.png", make_png({PNG_COLOR_TYPE_RGB, 8, false}));
  read_damaged("palette.png", make_png({PNG_COLOR_TYPE_PALETTE, 2, true}));
}

TEST(DamagedImages, Tiff) {
  read_damaged("deflated.tif", make_tiff16(gradient_image(4)));
}

TEST(DamagedImages, Webp) {
  read_damaged("lossless.webp", make_lossless_webp(gradient_image(4)));
}

}  // namespace
}  // namespace tessera::tests
