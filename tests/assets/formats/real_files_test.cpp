// Files that other programs wrote: each gives the right values or a clear sentence.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "assets/io.h"
#include "core/error.h"
#include "tests/support/test_data.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void expect_equal(const core::GaussianCloud& a, const core::GaussianCloud& b, float tolerance,
                  const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  ASSERT_EQ(a.sh_degree, b.sh_degree) << what;
  for (int p = 0; p < a.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < a.size(); ++i) {
      ASSERT_NEAR(a.plane(p)[i], b.plane(p)[i], tolerance) << what << ", plane " << p << ", " << i;
    }
  }
}

void expect_finite(const core::GaussianCloud& cloud) {
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) ASSERT_TRUE(std::isfinite(cloud.plane(p)[i]));
  }
}

std::string error_of(const fs::path& path) {
  try {
    read_scene_or_points(path);
  } catch (const core::IoError& error) {
    return error.what();
  }
  return "no error";
}

// What is right for each file of odd/ply: points (how many, the last one, its color), Gaussians, or
// the words of the refusal.
struct Points {
  size_t count = 0;
  std::array<double, 3> last = {};
  std::array<int, 3> rgb = {128, 128, 128};
};
struct Gaussians {
  int64_t count = 0;
  int sh_degree = 0;
};
using Expectation = std::variant<Points, Gaussians, std::string>;

const std::map<std::string, Expectation>& odd_ply_expectations() {
  static const std::map<std::string, Expectation> table = {
      {"assimp_cube.ply", Points{8, {1, 1, 0}}},
      {"assimp_cube_binary.ply", Points{8, {1, 1, 0}}},
      {"assimp_cube_uv.ply", Points{24, {-1, 1, 1}}},
      {"assimp_float-color.ply", Points{3, {200, 200, 0}, {0, 0, 255}}},
      // Its faces have no element of their own, so that their list counts as the vertices'.
      {"assimp_issue623.ply", "record 1 of element vertex has the list vertex_indices of length"},
      {"assimp_points.ply", Points{4, {0, 1, 1}, {0, 255, 255}}},
      {"assimp_zero_bytes.ply", "is empty"},
      {"cube_blender_uv.ply", Points{24, {0.5, 0.5, -0.5}}},
      {"cube_blender_uv_meshlab.ply", Points{24, {0.5, 0.5, -0.5}}},
      {"empty.ply", Points{}},
      {"fuze.ply", Points{502, {-0.02359, -0.024429, 0.113014}, {192, 192, 192}}},
      {"fuze_ascii.ply", Points{502, {-0.02359, -0.024429, 0.113014}, {192, 192, 192}}},
      {"loadersgl_cube_att.ply", Points{24, {1, 0, 1}}},
      {"loadersgl_ripple_bin.ply", Points{10201, {5, 5, -0.35332}, {10, 119, 55}}},
      {"made_gs_ascii_crlf.ply", Gaussians{50, 3}},
      {"made_gs_big_endian.ply", Gaussians{50, 3}},
      {"made_gs_double.ply", Gaussians{50, 3}},
      {"made_gs_missing_rot3.ply", "has no property 'rot_3' in its element vertex"},
      {"made_gs_no_normals_sh0.ply", Gaussians{50, 0}},
      {"made_gs_truncated.ply",
       "is cut off: element vertex should have 1000 records, but only 50 are there"},
      {"mirror.ply", Points{143, {-0.608235, 5.56506, 7.77921}}},
      {"multi.ply", Points{4, {-1, 1, 0}, {255, 255, 255}}},
      {"plane.ply", Points{4, {-1, 1, 0}}},
      {"ply_empty_ascii.ply", Points{}},
      {"ply_empty_bin.ply", Points{}},
      {"ply_empty_header.ply", "has no element 'vertex'"},
      {"ply_points_ascii.ply", Points{8, {1, 1, -1}}},
      {"ply_points_bin.ply", Points{8, {1, 1, -1}}},
      {"points_ascii.ply", Points{5, {-0.0635, 0.0367289, 0.0424662}}},
      {"points_ascii_with_lists.ply", Points{5, {-0.0635, 0.0367289, 0.0424662}}},
      {"points_bin.ply", Points{5, {-0.0635, 0.0367289, 0.0424662}}},
      {"points_emptyascii.ply", Points{12, {-0.009691, -0.013861, 0.0384}}},
      {"points_emptyface.ply", Points{1024, {-63.0214, -21.7099, 1.68762}}},
      {"reference.ply", Points{845, {19.2699, 59.2814, -16.8132}, {192, 192, 192}}},
      {"tet.ply", Points{4, {1, 0, -1}}},
  };
  return table;
}

void expect_points(const PointCloud& cloud, const Points& expected) {
  ASSERT_EQ(cloud.points.size(), expected.count);
  if (cloud.points.empty()) return;
  const core::ColoredPoint& last = cloud.points.back();
  const double got[] = {last.position.x, last.position.y, last.position.z};
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(got[axis], expected.last[axis], 1e-5 * (1 + std::abs(expected.last[axis])));
    EXPECT_EQ(last.rgb[axis], expected.rgb[axis]);
  }
}

TEST(RealFilesTest, EveryOddPlyGivesTheRightValueOrAClearSentence) {
  TESSERA_NEED_TEST_DATA(folder, "odd/ply");
  size_t met = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const auto row = odd_ply_expectations().find(name);
    ASSERT_NE(row, odd_ply_expectations().end()) << "say here what is right for this file";
    ++met;
    if (const auto* words = std::get_if<std::string>(&row->second)) {
      EXPECT_THAT(error_of(entry.path()), HasSubstr(*words));
      continue;
    }
    const SceneFile file = read_scene_or_points(entry.path());
    if (const auto* points = std::get_if<Points>(&row->second)) {
      expect_points(std::get<PointCloud>(file), *points);
      continue;
    }
    const auto& cloud = std::get<core::GaussianScene>(file).cloud;
    EXPECT_EQ(cloud.size(), std::get<Gaussians>(row->second).count);
    EXPECT_EQ(cloud.sh_degree, std::get<Gaussians>(row->second).sh_degree);
    expect_finite(cloud);
  }
  EXPECT_EQ(met, odd_ply_expectations().size());
}

TEST(RealFilesTest, TheSameGaussiansInFourEncodingsAreEqual) {
  TESSERA_NEED_TEST_DATA(folder, "odd/ply");
  const core::GaussianScene big = read_scene(folder / "made_gs_big_endian.ply");
  expect_equal(read_scene(folder / "made_gs_double.ply").cloud, big.cloud, 0, "double");
  expect_equal(read_scene(folder / "made_gs_ascii_crlf.ply").cloud, big.cloud, 1e-6F, "ascii");
  core::GaussianCloud degree0 = big.cloud;
  degree0.sh_degree = 0;
  degree0.parameters.set_plane_count(core::plane_count(0));
  expect_equal(read_scene(folder / "made_gs_no_normals_sh0.ply").cloud, degree0, 0, "degree 0");
}

// S01: the properties' order, their number and types do not matter.
TEST(RealFilesTest, S01PropertiesAreFoundByTheirNames) {
  TESSERA_NEED_TEST_DATA(folder, "reports/S01");
  const core::GaussianScene plain = read_scene(folder / "plain.ply");
  EXPECT_EQ(plain.cloud.size(), 12);
  EXPECT_EQ(plain.cloud.sh_degree, 3);
  for (const char* name : {"no_normals.ply", "shuffled.ply"}) {
    expect_equal(read_scene(folder / name).cloud, plain.cloud, 1e-6F, name);
  }
}

// S03: headers that PLY allows.
TEST(RealFilesTest, S03HeadersOfAllKindsGiveTheSameGaussians) {
  TESSERA_NEED_TEST_DATA(folder, "reports/S03");
  const core::GaussianScene plain = read_scene(folder / "plain.ply");
  EXPECT_EQ(plain.cloud.size(), 12);
  EXPECT_EQ(plain.cloud.sh_degree, 1);
  int others = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".ply") continue;
    ++others;
    expect_equal(read_scene(entry.path()).cloud, plain.cloud, 1e-6F,
                 entry.path().filename().string());
  }
  EXPECT_EQ(others, 9);
}

// S04: rows that are no Gaussians, and rotations of any length.
TEST(RealFilesTest, S04RowsThatAreNotUsableAreLeftOutAndRotationsNormalized) {
  TESSERA_NEED_TEST_DATA(folder, "reports/S04");
  const core::GaussianScene zeros = read_scene(folder / "zero_rows.ply");
  EXPECT_EQ(zeros.cloud.size(), 5);
  EXPECT_EQ(zeros.dropped, 95);
  ASSERT_EQ(zeros.notes.size(), 1U);
  EXPECT_EQ(zeros.notes[0],
            "95 of 100 records are not usable (a rotation of length 0) and are left out");
  expect_finite(zeros.cloud);

  const core::GaussianScene scene = read_scene(folder / "unnormalised.ply");
  ASSERT_EQ(scene.cloud.size(), 4);
  for (int64_t i = 0; i < scene.cloud.size(); ++i) {
    double length = 0;
    for (int k = 0; k < 4; ++k) {
      length += std::pow(scene.cloud.plane(core::kQuaternionPlane + k)[i], 2);
    }
    EXPECT_NEAR(length, 1, 1e-6);
  }
}

struct SceneExpectation {
  const char* name;
  int64_t count;
  int sh_degree;
};

TEST(RealFilesTest, ScenesOfOtherProgramsAreRead) {
  TESSERA_NEED_TEST_DATA(folder, "splats");
  for (const SceneExpectation& expected : {SceneExpectation{"guitar_20k.ply", 20000, 0},
                                           {"playbot_lod4.ply", 8406, 2},
                                           {"train-1000_sh0.ply", 1000, 0},
                                           {"train-1000_sh1.ply", 1000, 1},
                                           {"unitCube-ascii.ply", 20, 0},
                                           {"guitar_20k.splat", 20000, 0},
                                           {"train-1000.splat", 1000, 0},
                                           {"fixtures/splat/minimal.splat", 4, 0}}) {
    const core::GaussianScene scene = read_scene(folder / expected.name);
    EXPECT_EQ(scene.cloud.size(), expected.count) << expected.name;
    EXPECT_EQ(scene.cloud.sh_degree, expected.sh_degree) << expected.name;
    EXPECT_EQ(scene.dropped, 0) << expected.name;
    expect_finite(scene.cloud);
  }
  EXPECT_THAT(error_of(folder / "train-1000.compressed.ply"), HasSubstr("compressed PLY"));
  EXPECT_THAT(error_of(folder / "train-1000.spz"), HasSubstr("is SPZ, which is not read"));
}

// The same thousand Gaussians as .splat and as PLY, each in its own order.
TEST(RealFilesTest, SplatAndPlyHoldTheSameScene) {
  TESSERA_NEED_TEST_DATA(folder, "splats");
  core::GaussianCloud ply = read_scene(folder / "train-1000_sh0.ply").cloud;
  core::GaussianCloud splat = read_scene(folder / "train-1000.splat").cloud;
  ASSERT_EQ(ply.size(), splat.size());
  for (core::GaussianCloud* cloud : {&ply, &splat}) {
    std::vector<int64_t> order(cloud->size());
    std::iota(order.begin(), order.end(), int64_t{0});
    const float* x = cloud->plane(core::kMeanPlane);
    const float* y = cloud->plane(core::kMeanPlane + 1);
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return std::pair(x[a], y[a]) < std::pair(x[b], y[b]); });
    cloud->parameters.gather(order);
  }
  for (int64_t i = 0; i < ply.size(); ++i) {
    double dot = 0;
    for (int k = 0; k < 4; ++k) {
      const int plane = core::kQuaternionPlane + k;
      dot += double{ply.plane(plane)[i]} * splat.plane(plane)[i];
    }
    EXPECT_GT(std::abs(dot), 0.9995);
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(ply.plane(core::kMeanPlane + axis)[i], splat.plane(core::kMeanPlane + axis)[i]);
      EXPECT_NEAR(ply.plane(core::kLogScalePlane + axis)[i],
                  splat.plane(core::kLogScalePlane + axis)[i], 1e-5);
      // Colors beyond 0..1 are cut by the bytes.
      const auto color = [&](const core::GaussianCloud& cloud) {
        const float value = 0.5F + 0.2820948F * cloud.plane(core::kShPlane + axis)[i];
        return std::clamp(value, 0.0F, 1.0F);
      };
      EXPECT_NEAR(color(ply), color(splat), 1.01 / 255);
    }
  }
}

TEST(RealFilesTest, PointsAreGivenForScenesToo) {
  TESSERA_NEED_TEST_DATA(folder, "splats");
  const PointCloud points = read_points(folder / "train-1000_sh0.ply");
  EXPECT_EQ(points.points.size(), 1000U);
  EXPECT_TRUE(points.has_colors);
}

TEST(RealFilesTest, PointsAreNoScene) {
  TESSERA_NEED_TEST_DATA(folder, "odd/ply");
  try {
    read_scene(folder / "fuze.ply");
    FAIL();
  } catch (const core::IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds 502 points without extent"));
  }
}

}  // namespace
}  // namespace tessera::assets
