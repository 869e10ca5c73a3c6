// An ASCII PLY that was cut within its last number, told from one that only lacks its last line
// end.
// SPDX-License-Identifier: MIT
#include "assets/formats/ply_ending.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "assets/formats/formats.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Points with these lines of x, y and z.
PointCloud read(const std::string& lines, const std::string& more_elements = "") {
  const auto count = std::count(lines.begin(), lines.end(), '\n') + (lines.back() != '\n' ? 1 : 0);
  const std::string text = fmt::format(
      "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty "
      "float z\n{}end_header\n{}",
      count, more_elements, lines);
  return std::get<PointCloud>(
      read_ply({reinterpret_cast<const uint8_t*>(text.data()), static_cast<int64_t>(text.size())},
               "made.ply"));
}

std::string error_of(const std::string& lines) {
  try {
    read(lines);
  } catch (const core::IoError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kFixed =
    "0.500000 1.250000 -3.125000\n0.250000 1.750000 -1.500000\n0.125000 2.500000 0.000000\n";

TEST(PlyEnding, ALineEndShowsThatTheNumberIsWhole) {
  EXPECT_THAT(read(kFixed + "1.5 2.5 3.5\n").notes, IsEmpty());
  EXPECT_THAT(read(kFixed + "1.5 2.5 3.5\r\n").notes, IsEmpty());
}

TEST(PlyEnding, NumbersOfAsManyDecimalsAsThoseAboveAreWhole) {
  const PointCloud cloud = read(kFixed + "1.000000 2.000000 3.187500");
  EXPECT_THAT(cloud.notes, IsEmpty());
  EXPECT_EQ(cloud.points.back().position.z, 3.1875);
}

TEST(PlyEnding, NumbersOfFewerAreCut) {
  for (const char* last : {"3.18750", "3.1", "3.", "3", "31"}) {
    EXPECT_THAT(error_of(kFixed + "1.000000 2.000000 " + last),
                HasSubstr(fmt::format("made.ply: is cut off within its last number, '{}'", last)));
  }
}

TEST(PlyEnding, WhatCannotBeToldIsNoted) {
  const auto unsure = ElementsAre(HasSubstr("may have been cut short"));
  EXPECT_THAT(read("1 2 3\n4 5 6").notes, unsure);                           // integers
  EXPECT_THAT(read("1 2 0.5\n1 2 0.25\n1 2 0.125\n1 2 0.5").notes, unsure);  // shortest digits
  EXPECT_THAT(read("1 2 0.500000\n1 2 0.5").notes, unsure);  // too few to compare with
  EXPECT_THAT(read("1 2 0.5\n1 2 0.5\n1 2 0.5\n1 2 1").notes, unsure);
  EXPECT_THAT(read(kFixed + "1.000000 2.000000 1e-05").notes, unsure);
  EXPECT_THAT(read("1 2 3").notes, unsure);
}

TEST(PlyEnding, NumbersThatEndInThePointAreCut) {
  EXPECT_THAT(error_of("1 2 3\n4 5 6."), HasSubstr("within its last number"));
}

TEST(PlyEnding, ElementsOfNoRecordsDoNotHideIt) {
  EXPECT_THAT(read("1 2 3\n4 5 6", "element face 0\nproperty int x\n").notes,
              ElementsAre(HasSubstr("may have been cut short")));
}

}  // namespace
}  // namespace tessera::assets
