// Depth maps of every format, written here byte by byte or by other programs.
// SPDX-License-Identifier: MIT
#include "assets/depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <string>

#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/math/half.h"
#include "tests/support/mutations.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::assets {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string bytes_of(T value, bool big_endian = false) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof(T));
  if (big_endian) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& numbers,
                bool fortran_order = false) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + bytes_of(static_cast<uint16_t>(header.size())) +
         header + numbers;
}

class DepthTest : public ::testing::Test {
 protected:
  DepthFile read(const std::string& bytes) const {
    std::ofstream(folder_ / "depth", std::ios::binary) << bytes;
    return read_depth(folder_ / "depth");
  }
  std::string refusal(const std::string& bytes) const {
    try {
      read(bytes);
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr((folder_ / "depth").string()));
      return error.what();
    }
    return "";
  }

  test::TemporaryFolder folder_;
};

void expect_depth(const DepthFile& depth, int width, int height, int bits, bool is_integer,
                  const std::vector<float>& values) {
  EXPECT_EQ(depth.values.width, width);
  EXPECT_EQ(depth.values.height, height);
  EXPECT_EQ(depth.values.channels, 1);
  EXPECT_EQ(depth.bits, bits);
  EXPECT_EQ(depth.is_integer, is_integer);
  EXPECT_EQ(std::vector<float>(depth.values.data.begin(), depth.values.data.end()), values);
}

TEST_F(DepthTest, GreyPngKeepsItsNumbers) {
  Image16 deep(2, 1, 1);
  deep.data[0] = 1;
  deep.data[1] = 65535;
  const auto deep_bytes = encode_png(deep);
  expect_depth(read({deep_bytes.begin(), deep_bytes.end()}), 2, 1, 16, true, {1, 65535});
  core::Image8 image(2, 1, 3);
  image.data.fill(7);
  image.data[3] = image.data[4] = image.data[5] = 255;
  const auto bytes = encode_png(image);
  expect_depth(read({bytes.begin(), bytes.end()}), 2, 1, 8, true, {7, 255});
  image.data[4] = 254;
  const auto colored = encode_png(image);
  EXPECT_THAT(refusal({colored.begin(), colored.end()}), HasSubstr("colors (at pixel 1, 0)"));
}

TEST_F(DepthTest, PgmOfOneAndTwoBytes) {
  expect_depth(read("P5\n# a comment 12\n3 2\n255\n\x01\x02\x03\x04\x05\x06"), 3, 2, 8, true,
               {1, 2, 3, 4, 5, 6});
  expect_depth(read(std::string("P5 2 1 65535\n\x01\x00\x00\x02", 17)), 2, 1, 16, true, {256, 2});
  EXPECT_THAT(refusal("P5 2 2 255\n\x01\x02\x03"), HasSubstr("ends after 1 of its 2 rows"));
  EXPECT_THAT(refusal("P5 2 2 70000\n\x01\x02\x03"), HasSubstr("largest value"));
  EXPECT_THAT(refusal("P2 1 1 255\n1\n"), HasSubstr("PGM in text"));
}

TEST_F(DepthTest, PfmOfBothByteOrdersFromTheBottom) {
  for (const bool big_endian : {false, true}) {
    std::string bytes = std::string("Pf\n2 2\n") + (big_endian ? "1.0" : "-1.0") + "\n";
    for (const float value : {3.0F, 4.0F, 1.5F, INFINITY}) bytes += bytes_of(value, big_endian);
    const DepthFile depth = read(bytes);
    expect_depth(depth, 2, 2, 32, false, {1.5F, INFINITY, 3, 4});
    EXPECT_EQ(depth.note, "");
  }
  EXPECT_THAT(read("Pf 1 1 -0.25\nabcd").note, HasSubstr("0.25"));
  EXPECT_THAT(refusal("Pf 1 1 0\nabcd"), HasSubstr("byte order"));
  EXPECT_THAT(refusal("PF 1 1 -1\nabcdabcdabcd"), HasSubstr("three channels"));
  EXPECT_THAT(refusal("Pf 1 1"), HasSubstr("no number as height"));
}

TEST_F(DepthTest, NpyOfAllTypes) {
  expect_depth(read(npy("<f4", "(1, 2)", bytes_of(0.5F) + bytes_of(-1.0F))), 2, 1, 32, false,
               {0.5F, -1});
  expect_depth(read(npy(">f8", "(2, 1)", bytes_of(0.5, true) + bytes_of(2.0, true))), 1, 2, 64,
               false, {0.5F, 2});
  expect_depth(read(npy("<f2", "(1, 1)", bytes_of(math::half_from_float(1.5F)))), 1, 1, 16, false,
               {1.5F});
  expect_depth(read(npy("|u1", "(1, 1, 2, 1)", "\x01\xFF")), 2, 1, 8, true, {1, 255});
  expect_depth(read(npy("<i2", "(1, 1)", bytes_of(int16_t{-7}))), 1, 1, 16, true, {-7});
  expect_depth(read(npy(">i8", "(1, 1)", bytes_of(int64_t{-9}, true))), 1, 1, 64, true, {-9});
  const std::string six = "\x01\x02\x03\x04\x05\x06";
  expect_depth(read(npy("|u1", "(2, 3)", six)), 3, 2, 8, true, {1, 2, 3, 4, 5, 6});
  expect_depth(read(npy("|u1", "(2, 3)", six, true)), 3, 2, 8, true, {1, 3, 5, 2, 4, 6});
}

TEST_F(DepthTest, NpyThatIsNoDepthMapIsRefused) {
  EXPECT_THAT(refusal(npy("<c8", "(1, 1)", "12345678")), HasSubstr("type '<c8'"));
  EXPECT_THAT(refusal(npy("|u1", "(4,)", "1234")), HasSubstr("array of 1 dimensions"));
  EXPECT_THAT(refusal(npy("|u1", "(2, 2, 3)", "123456789012")), HasSubstr("of 3 dimensions"));
  EXPECT_THAT(refusal(npy("|u1", "(2, 3)", "12345")), HasSubstr("cannot be in its"));
  EXPECT_THAT(refusal(npy("|u1", "(4294967296, 4294967296)", "12345")), HasSubstr("header states"));
  EXPECT_THAT(refusal(npy("|u1", "(99999999999999999999, 1)", "1")),
              HasSubstr("beyond all bounds"));
}

// tests/data/make_depth_fixtures.py says what is in them.
struct OthersFile {
  const char* name;
  const char* format;
  int bits;
  bool is_integer;
  const char* note;
};

constexpr OthersFile kOthersFiles[] = {
    {"half_piz.exr", "EXR", 16, false, ""},
    {"layers_zip_tiled.exr", "EXR", 32, false, "Of its 3 channels 'view.Z' is taken."},
    {"uint_zips.exr", "EXR", 32, true, ""},
    {"grey_rgb.exr", "EXR", 32, false, "Of its 3 channels 'R' is taken."},
    {"float_tiled.tif", "TIFF", 32, false, ""},
    {"float64_big_endian.tif", "TIFF", 64, false, ""},
    {"int16_deflate.tif", "TIFF", 16, true, ""},
    {"float16_fortran.npy", "NPY", 16, false, ""},
};

const std::filesystem::path kFixtures = std::filesystem::path(TESSERA_FIXTURES) / "depth";

TEST_F(DepthTest, FilesOfOtherProgramsHoldTheirNumbers) {
  for (const OthersFile& file : kOthersFiles) {
    SCOPED_TRACE(file.name);
    const DepthFile depth = read_depth(kFixtures / file.name);
    EXPECT_EQ(depth.format, file.format);
    EXPECT_EQ(depth.bits, file.bits);
    EXPECT_EQ(depth.is_integer, file.is_integer);
    EXPECT_EQ(depth.note, file.note);
    ASSERT_EQ(depth.values.width, 40);
    ASSERT_EQ(depth.values.height, 30);
    const float per_unit = file.is_integer ? 1 : 0.25F;
    for (int y = 0; y < 30; ++y) {
      for (int x = 0; x < 40; ++x) {
        ASSERT_EQ(depth.values.at(x, y), per_unit * static_cast<float>(x + 64 * y))
            << x << ", " << y;
      }
    }
  }
}

TEST_F(DepthTest, ColorsAreNoDepth) {
  EXPECT_THAT(refusal(core::read_text_file(kFixtures / "colors.exr")),
              HasSubstr("has the channels B, G, R"));
  EXPECT_THAT(refusal(core::read_text_file(kFixtures / "rgb.tif")),
              HasSubstr("has 3 samples per pixel"));
}

TEST_F(DepthTest, MiddleburysDisparityIsRead) {
  TESSERA_NEED_TEST_DATA(file, "stereo/middlebury_cones/disp2.pgm");
  const DepthFile depth = read_depth(file);
  EXPECT_EQ(depth.values.width, 450);
  EXPECT_EQ(depth.values.height, 375);
  EXPECT_EQ(depth.bits, 8);
  EXPECT_EQ(*std::max_element(depth.values.data.begin(), depth.values.data.end()), 220);
}

TEST_F(DepthTest, CutAndDamagedFilesAreRefusedOrReadAndNothingElse) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const OthersFile& file : kOthersFiles) {
    files.emplace_back(file.name, core::read_text_file(kFixtures / file.name));
  }
  files.emplace_back("pgm", "P5 4 4 255\n0123456789abcdef");
  files.emplace_back("pfm", "Pf 2 2 -1\n0123456789abcdef");
  Image16 grey(16, 16, 1);
  grey.data.fill(1000);
  const auto png = encode_png(grey);
  files.emplace_back("png", std::string(png.begin(), png.end()));
  for (const auto& [name, whole] : files) {
    SCOPED_TRACE(name);
    // The directory of a TIFF stands at its end or its numbers do, so a cut one lacks some.
    for (size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
      EXPECT_NE(refusal(tests::cut_at(whole, sixteenth)), "") << sixteenth << "/16";
    }
    int refused = 0;
    for (uint32_t i = 0; i < 500; ++i) {
      const std::string bytes = tests::damaged(whole, i);
      std::filesystem::remove(folder_ / "depth");
      refused += refusal(bytes).empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 0);
  }
}

TEST_F(DepthTest, WhatIsNoDepthMapIsRefused) {
  EXPECT_THAT(refusal("hello, world"), HasSubstr("no depth map in a format that is read"));
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
}

}  // namespace
}  // namespace tessera::assets
