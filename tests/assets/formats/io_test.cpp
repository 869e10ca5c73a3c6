// Which format a path means, and what is refused before any work.
// SPDX-License-Identifier: MIT
#include "assets/io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

using ::testing::HasSubstr;

core::GaussianScene small_scene() {
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(1, 3);
  for (int64_t i = 0; i < 3; ++i) {
    scene.cloud.plane(core::kQuaternionPlane)[i] = 1;
    scene.cloud.plane(core::kMeanPlane)[i] = static_cast<float>(i);
    // Growing sizes, so that .splat turns the order around.
    scene.cloud.plane(core::kLogScalePlane)[i] = static_cast<float>(i) - 3;
  }
  return scene;
}

TEST(IoTest, UnwritableOutputsAreRefusedBeforeWork) {
  for (const char* name : {"a.ply", "folder/A.PLY", "a.splat"}) {
    EXPECT_NO_THROW(check_writable(name, "--output")) << name;
  }
  for (const char* name : {"a.spz", "a", "a.ply.gz", "ply"}) {
    try {
      check_writable(name, "--output");
      FAIL() << name;
    } catch (const core::UsageError& error) {
      EXPECT_EQ(error.field(), "--output");
      EXPECT_THAT(error.what(), HasSubstr("the formats that can are .ply, .splat"));
    }
  }
}

TEST(IoTest, ContentGoesBeforeTheExtension) {
  const test::TemporaryFolder folder;
  write_scene(folder / "a.ply", small_scene());
  std::filesystem::rename(folder / "a.ply", folder / "a.splat");
  EXPECT_EQ(read_scene(folder / "a.splat").cloud.sh_degree, 1);
}

TEST(IoTest, FormatsThatAreNotReadAreNamed) {
  const test::TemporaryFolder folder;
  for (const auto& [file, words] : {std::pair{"a.spz", "is SPZ, which is not read; convert it"},
                                    {"a.SOG", "is SOG,"},
                                    {"a.ksplat", "is KSPLAT,"},
                                    {"a.glb", "is glTF,"},
                                    {"a.gltf", "is glTF,"},
                                    {"a.txt", "is of no known scene format"}}) {
    core::write_file_atomically(folder / file, "hello");
    try {
      read_scene(folder / file);
      FAIL() << file << " was read";
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
}

TEST(IoTest, SaysWhatIsLost) {
  core::GaussianScene scene = small_scene();
  EXPECT_TRUE(losses("a.ply", scene).empty());
  scene.antialiased = true;
  scene.vertical_axis = "+z";
  EXPECT_EQ(losses("a.splat", scene).size(), 4U);
  EXPECT_THAT(losses("a.splat", scene)[0], HasSubstr("color that changes with the view"));
}

TEST(IoTest, SplatsAreWrittenMostImportantFirst) {
  const test::TemporaryFolder folder;
  write_scene(folder / "a.splat", small_scene());
  const core::GaussianScene read = read_scene(folder / "a.splat");
  ASSERT_EQ(read.cloud.size(), 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read.cloud.plane(core::kMeanPlane)[i], 2 - i);
}

TEST(IoTest, FlatAndOpaqueGaussiansPassThroughSplat) {
  const test::TemporaryFolder folder;
  core::GaussianScene scene = small_scene();
  scene.cloud.plane(core::kLogScalePlane + 1)[2] = -INFINITY;
  scene.cloud.plane(core::kOpacityPlane)[2] = INFINITY;
  scene.cloud.plane(core::kOpacityPlane)[1] = -INFINITY;
  write_scene(folder / "a.splat", scene);
  const core::GaussianScene read = read_scene(folder / "a.splat");
  ASSERT_EQ(read.cloud.size(), 3);
  EXPECT_EQ(read.dropped, 0);
  for (int p = 0; p < read.cloud.parameters.plane_count(); ++p) {
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isfinite(read.cloud.plane(p)[i]));
  }
}

TEST(IoTest, SizesThatASplatCannotHoldAreCutAndSaid) {
  const test::TemporaryFolder folder;
  core::GaussianScene scene = small_scene();
  EXPECT_EQ(losses("a.splat", scene).size(), 2U);
  scene.cloud.plane(core::kLogScalePlane)[0] = 200;
  scene.cloud.plane(core::kLogScalePlane + 1)[0] = 100;
  EXPECT_THAT(losses("a.splat", scene), ::testing::Contains(HasSubstr("(of 1 Gaussian)")));
  write_scene(folder / "a.splat", scene);
  const core::GaussianScene read = read_scene(folder / "a.splat");
  EXPECT_EQ(read.dropped, 0);
  EXPECT_NEAR(read.cloud.plane(core::kLogScalePlane)[0], 88, 1e-4);
}

TEST(IoTest, TheOffsetOfASplatStandsBeside) {
  const test::TemporaryFolder folder;
  core::GaussianScene scene = small_scene();
  scene.origin_in_file[0] = 432100;
  scene.origin_in_file[2] = -1.0 / 3;
  write_scene(folder / "a.splat", scene);
  const core::GaussianScene read = read_scene(folder / "a.splat");
  EXPECT_EQ(read.origin_in_file[0], 432100);
  EXPECT_EQ(read.origin_in_file[2], -1.0 / 3);
  EXPECT_THAT(read.notes, ::testing::ElementsAre(HasSubstr("a_offset.xyz says")));
  EXPECT_EQ(read_points(folder / "a.splat").points[0].position.x, 432102);
  // A PLY says it itself.
  write_scene(folder / "a.ply", small_scene());
  EXPECT_EQ(read_scene(folder / "a.ply").origin_in_file[0], 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "a_offset.xyz"));

  write_scene(folder / "a.splat", small_scene());
  EXPECT_FALSE(std::filesystem::exists(folder / "a_offset.xyz"));
  EXPECT_EQ(read_scene(folder / "a.splat").origin_in_file[0], 0);
}

TEST(IoTest, AnOffsetThatIsNoneIsNamedAndStays) {
  const test::TemporaryFolder folder;
  write_scene(folder / "a.splat", small_scene());
  for (const char* text : {"", "1 2", "1 2 x", "1 2 3 4", "nan 0 0"}) {
    core::write_file_atomically(folder / "a_offset.xyz", std::string(text));
    for (const bool written : {false, true}) {
      try {
        if (written) {
          write_scene(folder / "a.splat", small_scene());
        } else {
          read_scene(folder / "a.splat");
        }
        ADD_FAILURE() << text;
      } catch (const core::IoError& error) {
        EXPECT_EQ(error.path(), folder / "a_offset.xyz");
      }
    }
    EXPECT_EQ(core::read_text_file(folder / "a_offset.xyz"), text);
  }
  // Numbers, but not as they are written here.
  core::write_file_atomically(folder / "a_offset.xyz", std::string("1.50 2 3"));
  EXPECT_THROW(write_scene(folder / "a.splat", small_scene()), core::IoError);
  EXPECT_THROW(check_writable(folder / "a.splat", "--output"), core::IoError);
  EXPECT_NO_THROW(check_writable(folder / "a.ply", "--output"));
  EXPECT_EQ(read_scene(folder / "a.splat").origin_in_file[0], 1.5);
}

TEST(IoTest, ASplatOfOddLengthIsRefused) {
  const test::TemporaryFolder folder;
  core::write_file_atomically(folder / "a.splat", std::string(70, 'x'));
  try {
    read_scene(folder / "a.splat");
    FAIL();
  } catch (const core::IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("after 2 records of 32 bytes, 6 bytes are left over"));
  }
}

TEST(IoTest, AFailedWriteLeavesTheOldFile) {
  const test::TemporaryFolder folder;
  write_scene(folder / "a.ply", small_scene());
  std::filesystem::create_directory(folder / "a.ply.tmp");
  EXPECT_THROW(write_scene(folder / "a.ply", small_scene()), core::IoError);
  EXPECT_EQ(read_scene(folder / "a.ply").cloud.size(), 3);
}

}  // namespace
}  // namespace tessera::assets
