// PLY in all the ways that programs write it, made here line by line: what is read and the words
// in which the rest is refused.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "assets/formats/formats.h"
#include "assets/formats/usable.h"
#include "assets/io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

using ::testing::HasSubstr;

struct Property {
  std::string name;
  std::string type = "float";
};

std::vector<Property> gaussian_properties(int rest = 0) {
  std::vector<Property> result = {{"x"}, {"y"}, {"z"}, {"f_dc_0"}, {"f_dc_1"}, {"f_dc_2"}};
  for (int i = 0; i < rest; ++i) result.push_back({fmt::format("f_rest_{}", i)});
  for (const char* name :
       {"opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"}) {
    result.push_back({name});
  }
  return result;
}

std::string header(const std::vector<Property>& properties, int64_t count,
                   const std::string& format = "ascii", const std::string& more = "") {
  std::string text = fmt::format("ply\nformat {} 1.0\n{}element vertex {}\n", format, more, count);
  for (const Property& property : properties) {
    text += fmt::format("property {} {}\n", property.type, property.name);
  }
  return text + "end_header\n";
}

SceneFile read_text(const std::string& text) {
  return read_ply(
      {reinterpret_cast<const uint8_t*>(text.data()), static_cast<int64_t>(text.size())},
      "made.ply");
}

core::GaussianScene read_scene_text(const std::string& text) {
  return std::get<core::GaussianScene>(read_text(text));
}

PointCloud read_points_text(const std::string& text) {
  return std::get<PointCloud>(read_text(text));
}

std::string error_of(const std::string& text) {
  try {
    read_text(text);
  } catch (const core::IoError& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* kOneGaussian = "1 2 3 0.1 0.2 0.3 0.5 -1 -2 -3 1 0 0 0\n";

TEST(PlyTest, ReadsTheParametersIntoTheirPlanes) {
  const core::GaussianScene scene =
      read_scene_text(header(gaussian_properties(), 1) + kOneGaussian);
  const std::vector<float> expected = {1, 2, 3, -1, -2, -3, 1, 0, 0, 0, 0.5F, 0.1F, 0.2F, 0.3F};
  ASSERT_EQ(scene.cloud.parameters.plane_count(), static_cast<int>(expected.size()));
  for (size_t p = 0; p < expected.size(); ++p) {
    EXPECT_EQ(scene.cloud.plane(static_cast<int>(p))[0], expected[p]) << p;
  }
}

TEST(PlyTest, HigherDegreesAreChannelMajorInTheFile) {
  for (int degree = 1; degree <= core::kMaxShDegree; ++degree) {
    const int rest = core::sh_coefficient_count(degree) - 1;
    std::string row = "0 0 0 0 0 0 ";
    for (int i = 0; i < 3 * rest; ++i) row += fmt::format("{} ", i);
    row += "0 0 0 0 1 0 0 0\n";
    const core::GaussianScene scene =
        read_scene_text(header(gaussian_properties(3 * rest), 1) + row);
    ASSERT_EQ(scene.cloud.sh_degree, degree);
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < rest; ++k) {
        EXPECT_EQ(scene.cloud.plane(core::kShPlane + 3 * (k + 1) + c)[0],
                  static_cast<float>(c * rest + k));
      }
    }
  }
}

TEST(PlyTest, EachMissingPropertyIsNamed) {
  for (const Property& missing : gaussian_properties(9)) {
    std::vector<Property> properties = gaussian_properties(9);
    std::erase_if(properties, [&](const Property& p) { return p.name == missing.name; });
    const std::string error = error_of(header(properties, 0));
    if (missing.name.starts_with("f_rest")) {
      EXPECT_THAT(error, HasSubstr("has 8 properties f_rest_*"));
    } else {
      EXPECT_THAT(error, HasSubstr("no property '" + missing.name + "'"));
    }
  }
}

TEST(PlyTest, AListWhereANumberIsDueIsRefusedAndElsewherePassedOver) {
  std::vector<Property> properties = gaussian_properties();
  properties[7].type = "list uchar float";
  EXPECT_THAT(error_of(header(properties, 0)), HasSubstr("a list as its property 'scale_0'"));

  properties = gaussian_properties();
  properties.insert(properties.begin() + 1, {"neighbors", "list uchar int"});
  const core::GaussianScene scene = read_scene_text(
      header(properties, 2) + "1 2 7 8 2 3 0 0 0 0 0 0 0 1 0 0 0\n4 0 5 6 0 0 0 0 0 0 0 1 0 0 0\n");
  EXPECT_EQ(scene.cloud.plane(core::kMeanPlane + 2)[0], 3);
  EXPECT_EQ(scene.cloud.plane(core::kMeanPlane + 2)[1], 6);
}

TEST(PlyTest, EveryTypeIsReadInEveryEncoding) {
  const std::vector<std::pair<std::string, int>> types = {
      {"char", 1},   {"int8", 1},    {"uchar", 1},  {"uint8", 1},  {"short", 2}, {"int16", 2},
      {"ushort", 2}, {"uint16", 2},  {"int", 4},    {"int32", 4},  {"uint", 4},  {"uint32", 4},
      {"float", 4},  {"float32", 4}, {"double", 8}, {"float64", 8}};
  for (const auto& [type, size] : types) {
    for (const bool big : {false, true}) {
      std::string bytes(size, '\0');
      if (size == 8) {
        const double value = 7;
        std::memcpy(bytes.data(), &value, 8);
      } else if (type.starts_with("float")) {
        const float value = 7;
        std::memcpy(bytes.data(), &value, 4);
      } else {
        bytes[0] = 7;
      }
      if (big) std::reverse(bytes.begin(), bytes.end());
      std::string text = header({{"x", type}, {"y", type}, {"z", type}}, 1,
                                big ? "binary_big_endian" : "binary_little_endian");
      for (int axis = 0; axis < 3; ++axis) text += bytes;
      const PointCloud cloud = read_points_text(text);
      ASSERT_EQ(cloud.points.size(), 1U);
      EXPECT_EQ(cloud.points[0].position.y, 7) << type << (big ? " big" : " little");
    }
  }
  EXPECT_THAT(error_of(header({{"x", "half"}}, 1)), HasSubstr("unknown type 'half'"));
}

TEST(PlyTest, NumbersThatAreNoneDropTheGaussianOrAreClamped) {
  const std::string text = header(gaussian_properties(), 9) +
                           "1 2 3 0 0 0 0 0 0 0 1 0 0 0\n"
                           "nan 2 3 0 0 0 0 0 0 0 1 0 0 0\n"
                           "1 inf 3 0 0 0 0 0 0 0 1 0 0 0\n"
                           "1 2 3 0 -1.#IND 0 0 0 0 0 1 0 0 0\n"
                           "1 2 3 0 0 0 inf 0 0 0 1 0 0 0\n"
                           "1 2 3 0 0 0 -inf 0 0 0 1 0 0 0\n"
                           "1 2 3 0 0 0 0 -inf 0 0 1 0 0 0\n"
                           "1 2 3 0 0 0 0 inf 0 0 1 0 0 0\n"
                           "1 2 3 0 0 0 0 0 0 0 0 0 0 0\n";
  const core::GaussianScene scene = read_scene_text(text);
  EXPECT_EQ(scene.dropped, 5);
  ASSERT_EQ(scene.cloud.size(), 4);
  EXPECT_EQ(scene.cloud.plane(core::kOpacityPlane)[1], kExtremeLogit);
  EXPECT_EQ(scene.cloud.plane(core::kOpacityPlane)[2], -kExtremeLogit);
  EXPECT_EQ(scene.cloud.plane(core::kLogScalePlane)[3], kFlatLogScale);
  EXPECT_EQ(scene.cloud.ids[3], 3U);
  EXPECT_THAT(scene.notes,
              ::testing::UnorderedElementsAre(
                  "2 of 9 records are not usable (a position that is not finite) and are left out",
                  "1 of 9 records is not usable (a rotation of length 0) and is left out",
                  "1 of 9 records is not usable (a size that is infinite or not a number) and is "
                  "left out",
                  "1 of 9 records is not usable (a value that is not finite) and is left out"));
}

TEST(PlyTest, RotationsAreNormalized) {
  const core::GaussianScene scene =
      read_scene_text(header(gaussian_properties(), 2) +
                      "0 0 0 0 0 0 0 0 0 0 0 -3 0 4\n0 0 0 0 0 0 0 0 0 0 1e-30 0 0 0\n");
  EXPECT_FLOAT_EQ(scene.cloud.plane(core::kQuaternionPlane + 1)[0], -0.6F);
  EXPECT_FLOAT_EQ(scene.cloud.plane(core::kQuaternionPlane + 3)[0], 0.8F);
  EXPECT_FLOAT_EQ(scene.cloud.plane(core::kQuaternionPlane)[1], 1.0F);
}

TEST(PlyTest, DataThatEndEarlySayHowManyRecordsAreThere) {
  const std::string ascii = header(gaussian_properties(), 3) + kOneGaussian + kOneGaussian;
  EXPECT_THAT(error_of(ascii), HasSubstr("should have 3 records, but only 2 are there"));
  const std::string binary =
      header({{"x"}, {"y"}, {"z"}}, 4, "binary_little_endian") + std::string(40, '\0');
  EXPECT_THAT(error_of(binary), HasSubstr("should have 4 records, but only 3 are there"));
}

TEST(PlyTest, CountsBeyondTheFileAreRefusedBeforeAnythingIsAllocated) {
  for (const char* encoding : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    for (const char* count : {"1000000000000", "18446744073709551615"}) {
      std::string text = header(gaussian_properties(), 1, encoding);
      text.replace(text.find("vertex 1"), 8, std::string("vertex ") + count);
      EXPECT_THAT(error_of(text + kOneGaussian), HasSubstr("is cut off")) << encoding << count;
    }
  }
  EXPECT_THAT(error_of("ply\nformat ascii 1.0\nelement vertex -1\nproperty float x\nend_header\n"),
              HasSubstr("no whole number"));
  // A list whose length reaches beyond the file, before the vertices.
  const std::string list = "element strip 1\nproperty list uint int i\n";
  EXPECT_THAT(
      error_of(header({{"x"}, {"y"}, {"z"}}, 0, "binary_little_endian", list) + "\xff\xff\xff\x7f"),
      HasSubstr("element strip should have 1 records, but only 0"));
}

TEST(PlyTest, WordsAmongTheNumbersAreQuoted) {
  EXPECT_THAT(error_of(header({{"x"}, {"y"}, {"z"}}, 2) + "1 2 3\n4 five 6\n"),
              HasSubstr("record 1 of element vertex has 'five' where a number is due (at byte"));
}

TEST(PlyTest, HeadersThatAreBrokenAreRefusedInWords) {
  EXPECT_THAT(error_of(""), HasSubstr("is empty"));
  EXPECT_THAT(error_of("solid cube\n"), HasSubstr("does not begin with 'ply'"));
  EXPECT_THAT(error_of("ply\nformat ascii 1.0\n"), HasSubstr("no end_header"));
  EXPECT_THAT(error_of("ply\nend_header\n"), HasSubstr("no format line"));
  EXPECT_THAT(error_of("ply\nformat base64 1.0\nend_header\n"), HasSubstr("'base64' is none of"));
  EXPECT_THAT(error_of("ply\nformat ascii 1.0\nproperty float x\nend_header\n"),
              HasSubstr("a property before any element"));
  EXPECT_THAT(error_of("ply\nformat ascii 1.0\nvertices 3\nend_header\n"),
              HasSubstr("not understood: 'vertices 3'"));
  EXPECT_THAT(error_of(header({{"x"}, {"x"}}, 0)), HasSubstr("the property x twice"));
  EXPECT_THAT(error_of(header({{"x", "list float int"}}, 0)), HasSubstr("no whole number"));
}

TEST(PlyTest, CommentsOfOtherProgramsAreUnderstood) {
  const auto with = [](const std::string& comment) {
    return read_scene_text(header(gaussian_properties(), 1, "ascii", "comment " + comment + "\n") +
                           kOneGaussian);
  };
  EXPECT_TRUE(with("SplatRenderMode: mip").antialiased);
  EXPECT_FALSE(with("SplatRenderMode: default").antialiased);
  EXPECT_TRUE(with("antialiased 1").antialiased);
  EXPECT_EQ(with("Vertical axis: y").vertical_axis, "+y");
  EXPECT_EQ(with("Vertical axis: -z").vertical_axis, "-z");
  EXPECT_EQ(with("Vertical axis: 0 -1 0").vertical_axis, "-y");
  EXPECT_EQ(with("Vertical axis: sideways").vertical_axis, "");
}

TEST(PlyTest, WhatCommentsHoldIsWrittenAndReadAgain) {
  const test::TemporaryFolder folder;
  for (const char* axis : {"", "+x", "-y", "+z", "0 0.6 0.8"}) {
    core::GaussianScene scene = read_scene_text(header(gaussian_properties(), 1) + kOneGaussian);
    scene.antialiased = true;
    scene.vertical_axis = axis;
    scene.origin_in_file[1] = 5e6 + 1.0 / 3;
    write_scene(folder / "a.ply", scene);
    const core::GaussianScene read = read_scene(folder / "a.ply");
    EXPECT_TRUE(read.antialiased);
    EXPECT_EQ(read.vertical_axis, axis);
    EXPECT_EQ(read.origin_in_file[1], scene.origin_in_file[1]);
    EXPECT_EQ(core::read_text_file(folder / "a_offset.xyz"), "0 5000000.333333333 0\n");
  }
}

TEST(PlyTest, FarCoordinatesAreShiftedInDouble) {
  std::vector<Property> properties = gaussian_properties();
  for (int axis = 0; axis < 3; ++axis) properties[axis].type = "double";
  std::string rows;
  for (int i = 0; i < 5; ++i) {
    rows += fmt::format("{:.3f} {:.3f} 120.25 0 0 0 0 0 0 0 1 0 0 0\n", 432100.001 + i * 0.01,
                        5234567.002 + i * 0.01);
  }
  const core::GaussianScene scene = read_scene_text(header(properties, 5) + rows);
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(scene.cloud.plane(core::kMeanPlane)[i] + scene.origin_in_file[0],
                432100.001 + i * 0.01, 1e-6);
    EXPECT_NEAR(scene.cloud.plane(core::kMeanPlane + 1)[i] + scene.origin_in_file[1],
                5234567.002 + i * 0.01, 1e-6);
    EXPECT_LT(std::abs(scene.cloud.plane(core::kMeanPlane + 1)[i]), 1);
  }
  ASSERT_EQ(scene.notes.size(), 1U);
  EXPECT_THAT(scene.notes[0], HasSubstr("shifted by -432100, -5234567, -120"));
}

TEST(PlyTest, PointsTakeColorsOfAnyType) {
  const std::string xyz = "1 2 3 ";
  const auto color = [&](const std::string& type, const std::string& values) {
    const PointCloud cloud = read_points_text(
        header({{"x"}, {"y"}, {"z"}, {"red", type}, {"green", type}, {"blue", type}}, 1) + xyz +
        values + "\n");
    EXPECT_TRUE(cloud.has_colors);
    const uint8_t* rgb = cloud.points.at(0).rgb;
    return std::vector<int>(rgb, rgb + 3);
  };
  EXPECT_EQ(color("uchar", "0 128 255"), (std::vector<int>{0, 128, 255}));
  EXPECT_EQ(color("ushort", "0 32896 65535"), (std::vector<int>{0, 128, 255}));
  EXPECT_EQ(color("float", "0 0.5 1"), (std::vector<int>{0, 128, 255}));
  EXPECT_EQ(color("float", "0 127.6 255"), (std::vector<int>{0, 128, 255}));
  EXPECT_EQ(color("float", "nan -1 0.2"), (std::vector<int>{128, 0, 51}));
  EXPECT_FALSE(read_points_text(header({{"x"}, {"y"}, {"z"}}, 1) + xyz).has_colors);
}

TEST(PlyTest, PointsWithoutAFinitePositionAreLeftOut) {
  const PointCloud cloud =
      read_points_text(header({{"x"}, {"y"}, {"z"}}, 3) + "1 2 3\nnan 0 0\n0 0 -inf\n");
  EXPECT_EQ(cloud.points.size(), 1U);
  EXPECT_EQ(cloud.dropped, 2);
  EXPECT_THAT(cloud.notes.at(0), HasSubstr("2 of 3 points"));
}

TEST(PlyTest, TheWrittenHeaderIsTheOneThatViewersExpect) {
  const test::TemporaryFolder folder;
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(3, 1);
  scene.cloud.plane(core::kQuaternionPlane)[0] = 2;
  write_scene(folder / "a.ply", scene);
  const std::string text = core::read_text_file(folder / "a.ply");
  std::string expected;
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) {
    expected += fmt::format("property float {}\n", name);
  }
  for (int i = 0; i < 3; ++i) expected += fmt::format("property float f_dc_{}\n", i);
  for (int i = 0; i < 45; ++i) expected += fmt::format("property float f_rest_{}\n", i);
  expected += "property float opacity\n";
  for (int i = 0; i < 3; ++i) expected += fmt::format("property float scale_{}\n", i);
  for (int i = 0; i < 4; ++i) expected += fmt::format("property float rot_{}\n", i);
  expected += "end_header\n";
  EXPECT_THAT(text, HasSubstr("element vertex 1\n" + expected));
  EXPECT_EQ(text.size(), text.find("end_header\n") + 11 + 248);
  EXPECT_EQ(read_scene(folder / "a.ply").cloud.plane(core::kQuaternionPlane)[0], 1.0F);
}

TEST(PlyTest, ACompressedPlyIsRefusedByItsKind) {
  EXPECT_THAT(error_of(header({{"packed_position", "uint"}}, 0)), HasSubstr("compressed PLY"));
}

}  // namespace
}  // namespace tessera::assets
