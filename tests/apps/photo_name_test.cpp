// A capture's photo by as little of its name as tells it apart.
// SPDX-License-Identifier: MIT
#include "apps/commands/photo_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace tessera::apps {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNames = {
    "images/0001.jpg", "images/0012.jpg", "test/r_9", "train/r_1", "train/r_9", "x.jpg", "x.png"};

std::string error_of(const std::string& typed) {
  try {
    photo_named(kNames, typed, "--camera");
  } catch (const core::UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(PhotoName, NeedsNeitherFolderNorExtensionIfItIsUnique) {
  EXPECT_EQ(photo_named(kNames, "images/0012.jpg", ""), 1U);
  EXPECT_EQ(photo_named(kNames, "0012.jpg", ""), 1U);
  EXPECT_EQ(photo_named(kNames, "0012", ""), 1U);
  EXPECT_EQ(photo_named(kNames, "./images/0012", ""), 1U);
  EXPECT_EQ(photo_named(kNames, "fox/images/0012.jpg", ""), 1U);
  EXPECT_EQ(photo_named(kNames, "r_1.png", ""), 3U);
  EXPECT_EQ(photo_named(kNames, "test/r_9.png", ""), 2U);
  EXPECT_EQ(photo_named(kNames, "x.png", ""), 6U);
}

TEST(PhotoName, ThatSeveralHaveIsAnsweredWithThem) {
  EXPECT_THAT(error_of("r_9.png"), HasSubstr("test/r_9, train/r_9"));
  EXPECT_THAT(error_of("x"), HasSubstr("x.jpg, x.png"));
}

TEST(PhotoName, ThatNoneHasIsAnsweredWithTheNearest) {
  EXPECT_THAT(error_of("012.jpg"), HasSubstr("did you mean images/0012.jpg?"));
  EXPECT_THAT(error_of("val/r_1"), HasSubstr("did you mean train/r_1?"));
  EXPECT_THAT(error_of("something else"), HasSubstr("from images/0001.jpg to x.png"));
}

}  // namespace
}  // namespace tessera::apps
