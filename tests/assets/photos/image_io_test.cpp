// Pictures of every layout are read to the right values; broken ones are errors that name the file.
// SPDX-License-Identifier: MIT
#include "assets/photos/image_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <cstdlib>
#include <fstream>

#include "core/error.h"
#include "tests/assets/photos/made_images.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<uint8_t> make_ppm(const core::Image8& rgb) {
  const std::string header =
      "P6\n# made\n" + std::to_string(rgb.width) + " " + std::to_string(rgb.height) + "\n255\n";
  std::vector<uint8_t> bytes(header.begin(), header.end());
  bytes.insert(bytes.end(), rgb.data.begin(), rgb.data.end());
  return bytes;
}

class Images : public ::testing::Test {
 protected:
  fs::path write(const std::string& name, const std::vector<uint8_t>& bytes) const {
    fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  core::Image8 read(const std::string& name, const std::vector<uint8_t>& bytes) const {
    return assets::read_image(write(name, bytes));
  }
  const test::TemporaryFolder& folder() const { return folder_; }

 private:
  test::TemporaryFolder folder_;
};

bool is_module_there() {
  return fs::exists(fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
                    "lib/tessera/tessera_foreign_images.so");
}

std::string error_of_reading(const fs::path& path) {
  try {
    assets::read_image(path);
  } catch (const core::IoError& error) {
    return error.what();
  }
  return {};
}

void expect_near(const core::Image8& image, const core::Image8& expected, int tolerance) {
  ASSERT_EQ(image.width, expected.width);
  ASSERT_EQ(image.height, expected.height);
  ASSERT_EQ(image.channels, expected.channels);
  for (int64_t i = 0; i < image.data.size(); ++i) {
    ASSERT_LE(std::abs(image.data[i] - expected.data[i]), tolerance) << "at " << i;
  }
}

TEST_F(Images, PngOfEachColorTypeDepthAndInterlacing) {
  for (const bool interlaced : {false, true}) {
    for (const int depth : {8, 16}) {
      for (const auto& [type, channels] :
           {std::pair{PNG_COLOR_TYPE_GRAY, 1}, std::pair{PNG_COLOR_TYPE_RGB, 3},
            std::pair{PNG_COLOR_TYPE_RGB_ALPHA, 4}}) {
        expect_near(read("a.png", make_png({type, depth, interlaced})), gradient_image(channels),
                    0);
      }
    }
  }
}

TEST_F(Images, PngGreyWithAlphaBecomesColorWithAlpha) {
  const core::Image8 grey_alpha = gradient_image(2);
  const core::Image8 image = read("a.png", make_png({PNG_COLOR_TYPE_GRAY_ALPHA, 8, false}));
  ASSERT_EQ(image.channels, 4);
  EXPECT_EQ(image.at(5, 6, 0), grey_alpha.at(5, 6, 0));
  EXPECT_EQ(image.at(5, 6, 2), grey_alpha.at(5, 6, 0));
  EXPECT_EQ(image.at(5, 6, 3), grey_alpha.at(5, 6, 1));
}

TEST_F(Images, PngPalettesAndFewBits) {
  const core::Image8 grey = gradient_image(1);
  const core::Image8 palette = read("a.png", make_png({PNG_COLOR_TYPE_PALETTE, 2, true}));
  ASSERT_EQ(palette.channels, 4);
  for (const auto& [x, y] : {std::pair{0, 0}, std::pair{36, 28}, std::pair{20, 3}}) {
    const int index = grey.at(x, y) >> 6;
    EXPECT_EQ(palette.at(x, y, 0), 10 + 30 * index);
    EXPECT_EQ(palette.at(x, y, 2), 30 + 30 * index);
    EXPECT_EQ(palette.at(x, y, 3), index == 1 ? 128 : 255);
  }
  const core::Image8 bits = read("a.png", make_png({PNG_COLOR_TYPE_GRAY, 1, false}));
  EXPECT_EQ(bits.at(36, 28), grey.at(36, 28) >= 128 ? 255 : 0);
  EXPECT_EQ(bits.at(0, 0), 0);
}

TEST_F(Images, JpegBaselineProgressiveAndGrey) {
  expect_near(read("a.jpg", assets::encode_jpeg(gradient_image(1), 100)), gradient_image(1), 2);
  const core::Image8 baseline = read("a.jpg", assets::encode_jpeg(gradient_image(3), 98));
  const core::Image8 progressive = read("b.jpg", make_progressive_jpeg(gradient_image(3)));
  EXPECT_EQ(progressive, baseline);
  EXPECT_NEAR(baseline.at(20, 10, 1), gradient_image(3).at(20, 10, 1), 3);
}

TEST_F(Images, WebpAndTiff) {
  core::Image8 rgba = gradient_image(4);
  for (int64_t i = 0; i < rgba.pixel_count(); ++i) rgba.data[4 * i + 3] |= 0x80;
  expect_near(read("a.webp", make_lossless_webp(rgba)), rgba, 0);
  expect_near(read("a.tif", make_tiff16(gradient_image(3))), gradient_image(3), 0);
  expect_near(read("a.tif", make_tiff16(rgba)), rgba, 1);
}

TEST_F(Images, SixteenBitDepthKeepsItsBits) {
  assets::Image16 depth(5, 3, 1);
  for (int i = 0; i < 15; ++i) depth.data[i] = static_cast<uint16_t>(4001 * i);
  assets::write_image(folder() / "d.png", depth);
  EXPECT_EQ(assets::read_image16(folder() / "d.png"), depth);
  const assets::Image16 tiff = assets::read_image16(write("d.tif", make_tiff16(gradient_image(1))));
  EXPECT_EQ(tiff.at(4, 5), gradient_image(1).at(4, 5) * 257);
  EXPECT_THROW(assets::read_image16(write("e.png", make_png({PNG_COLOR_TYPE_RGB, 8, false}))),
               core::IoError);
}

TEST_F(Images, WhatIsWrittenIsReadBack) {
  for (const int channels : {1, 3, 4}) {
    assets::write_image(folder() / "w.png", gradient_image(channels));
    EXPECT_EQ(assets::read_image(folder() / "w.png"), gradient_image(channels));
  }
  EXPECT_THROW(assets::write_image(folder() / "w.gif", gradient_image(3)), core::UsageError);
  core::ImageF render(2, 1, 1);
  render.data[0] = -0.5F;
  render.data[1] = 0.5F;
  EXPECT_EQ(assets::to_image8(render).data[0], 0);
  EXPECT_EQ(assets::to_image8(render).data[1], 128);
}

TEST_F(Images, OrientationsTurnAsExifSays) {
  core::Image8 image(3, 2, 1);
  for (int i = 0; i < 6; ++i) image.data[i] = static_cast<uint8_t>(i);
  // Where the first stored pixel ends up: EXIF names the visual corner of row 0 and column 0.
  const std::pair<int, int> corner[] = {{0, 0}, {2, 0}, {2, 1}, {0, 1},
                                        {0, 0}, {1, 0}, {1, 2}, {0, 2}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const core::Image8 turned = assets::oriented(image, orientation);
    EXPECT_EQ(turned.width, orientation >= 5 ? 2 : 3);
    const auto [x, y] = corner[orientation - 1];
    EXPECT_EQ(turned.at(x, y), 0) << orientation;
  }
}

// Every format cut at every sixteenth: an error that names the file, never half a picture.
TEST_F(Images, CutFilesAreErrors) {
  const std::pair<const char*, std::vector<uint8_t>> files[] = {
      {"baseline.jpg", assets::encode_jpeg(gradient_image(3))},
      {"progressive.jpg", make_progressive_jpeg(gradient_image(3))},
      {"plain.png", make_png({PNG_COLOR_TYPE_RGB, 8, false})},
      {"interlaced.png", make_png({PNG_COLOR_TYPE_RGB_ALPHA, 16, true})},
      {"lossless.webp", make_lossless_webp(gradient_image(4))},
      {"deflated.tif", make_tiff16(gradient_image(3))},
  };
  for (const auto& [name, bytes] : files) {
    ASSERT_EQ(error_of_reading(write(name, bytes)), "") << name;
    for (size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
      const std::vector<uint8_t> cut(
          bytes.begin(), bytes.begin() + static_cast<int64_t>(bytes.size() * sixteenth / 16));
      EXPECT_THAT(error_of_reading(write(name, cut)), HasSubstr(name)) << sixteenth;
    }
  }
}

TEST_F(Images, HeadersThatPromiseTooMuchAreRefusedBeforeAllocation) {
  std::vector<uint8_t> png = make_png({PNG_COLOR_TYPE_RGB, 8, false});
  png[16] = 0x7F;  // the width's highest byte
  EXPECT_THROW(assets::probe_image(write("wide.png", png)), core::IoError);

  std::vector<uint8_t> jpeg = assets::encode_jpeg(gradient_image(3));
  for (size_t i = 0; i + 8 < jpeg.size(); ++i) {
    if (jpeg[i] == 0xFF && jpeg[i + 1] == 0xC0) jpeg[i + 5] = jpeg[i + 7] = 0x3F;
  }
  EXPECT_THAT(error_of_reading(write("big.jpg", jpeg)),
              AllOf(HasSubstr("big.jpg"), HasSubstr("cannot be in its")));
}

struct OddImage {
  const char* name;
  int width, height, channels;
  int corner[3];  // by Pillow
  int center[3];  // at (width / 2, height / 2)
  int tolerance;
};

TEST(OddImages, AreReadToTheValuesThatPillowGives) {
  TESSERA_NEED_TEST_DATA(folder, "odd/images");
  const OddImage images[] = {
      {"hopper.jpg", 128, 128, 3, {20, 21, 67}, {173, 70, 55}, 2},
      {"hopper.webp", 128, 128, 3, {21, 21, 60}, {170, 84, 51}, 2},
      {"hopper_gray.jpg", 128, 128, 1, {26, 26, 26}, {99, 99, 99}, 2},
      {"hopper_orientation_3.jpg", 128, 128, 3, {135, 164, 204}, {164, 77, 49}, 2},
      {"hopper_orientation_6.jpg", 128, 128, 3, {82, 115, 194}, {164, 71, 56}, 2},
      {"invalid-exif.jpg", 200, 200, 3, {182, 182, 182}, {118, 118, 118}, 2},
      {"p_16.png", 128, 128, 4, {255, 0, 0}, {255, 0, 0}, 0},
      {"pil_sample_cmyk.jpg", 100, 100, 3, {255, 13, 25}, {1, 4, 5}, 2},
      {"tiff_16bit_RGB.tiff", 100, 40, 3, {0, 0, 0}, {14, 10, 10}, 1},
      {"transparent.png", 200, 150, 4, {0, 0, 0}, {138, 48, 48}, 0},
  };
  for (const OddImage& odd : images) {
    const core::Image8 image = assets::read_image(folder / odd.name);
    ASSERT_EQ(image.width, odd.width) << odd.name;
    ASSERT_EQ(image.height, odd.height) << odd.name;
    ASSERT_EQ(image.channels, odd.channels) << odd.name;
    for (int c = 0; c < std::min(3, image.channels); ++c) {
      EXPECT_NEAR(image.at(0, 0, c), odd.corner[c], odd.tolerance) << odd.name;
      EXPECT_NEAR(image.at(odd.width / 2, odd.height / 2, c), odd.center[c], odd.tolerance)
          << odd.name;
    }
  }
}

TEST(OddImages, OrientationsAreReported) {
  TESSERA_NEED_TEST_DATA(folder, "odd/images");
  for (int orientation = 2; orientation <= 8; ++orientation) {
    const fs::path file = folder / ("hopper_orientation_" + std::to_string(orientation) + ".jpg");
    EXPECT_EQ(assets::probe_image(file).exif_orientation, orientation);
    // Turned upright they all show the same portrait: dark blue in the upper left corner.
    const core::Image8 upright = assets::oriented(assets::read_image(file), orientation);
    EXPECT_NEAR(upright.at(0, 0, 0), 22, 6) << orientation;
    EXPECT_NEAR(upright.at(0, 0, 2), 67, 8) << orientation;
  }
  EXPECT_EQ(assets::probe_image(folder / "invalid-exif.jpg").exif_orientation, 1);
  EXPECT_EQ(assets::probe_image(folder / "orientation_rectangle.jpg").exif_orientation, 8);
}

TEST(OddImages, BrokenOnesAreErrorsThatNameTheFile) {
  TESSERA_NEED_TEST_DATA(folder, "odd/images");
  for (const char* name : {"broken.png", "truncated_jpeg.jpg", "not_enough_data.jp2"}) {
    EXPECT_THAT(error_of_reading(folder / name), HasSubstr(name));
  }
}

TEST(OddImages, ABombInACommentIsSkipped) {
  TESSERA_NEED_TEST_DATA(folder, "odd/images");
  const core::Image8 image = assets::read_image(folder / "png_decompression_dos.png");
  EXPECT_EQ(image.width, 1);
  EXPECT_EQ(image.height, 1);
}

TEST(OddImages, ForeignFormatsAreReadByTheModule) {
  TESSERA_NEED_TEST_DATA(folder, "odd/images");
  if (!is_module_there()) GTEST_SKIP() << "OpenCV's imgcodecs is not installed";
  const core::Image8 image = assets::read_image(folder / "hopper_16bit.pgm");
  EXPECT_EQ(image.width, 128);
  EXPECT_EQ(image.channels, 1);
  const core::Image8 grey = assets::read_image(folder / "hopper_gray.jpg");
  double difference = 0;
  for (int64_t i = 0; i < image.data.size(); ++i) {
    difference += std::abs(image.data[i] - grey.data[i]);
  }
  EXPECT_LT(difference / static_cast<double>(image.data.size()), 12);
}

TEST_F(Images, PnmThroughTheModule) {
  if (!is_module_there()) GTEST_SKIP() << "OpenCV's imgcodecs is not installed";
  const std::vector<uint8_t> ppm = make_ppm(gradient_image(3));
  EXPECT_EQ(read("a.ppm", ppm), gradient_image(3));
  const std::vector<uint8_t> cut(ppm.begin(), ppm.end() - 100);
  EXPECT_THAT(error_of_reading(write("cut.ppm", cut)), HasSubstr("cut.ppm"));
}

}  // namespace
}  // namespace tessera::tests
