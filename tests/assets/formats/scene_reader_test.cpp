// Scenes read in pieces: what they give is what the whole file gives.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "assets/io.h"
#include "tests/support/random_scene.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

core::GaussianScene scene_of(int degree, int count) {
  test::Random random(7);
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(degree, count);
  for (int p = 0; p < scene.cloud.parameters.plane_count(); ++p) {
    for (int i = 0; i < count; ++i) {
      scene.cloud.plane(p)[i] = static_cast<float>(random.uniform(-1, 1));
    }
  }
  scene.antialiased = true;
  scene.vertical_axis = "-y";
  return scene;
}

void expect_pieces_of_whole(const fs::path& path, int64_t piece_size) {
  const core::GaussianScene whole = read_scene(path);
  const std::unique_ptr<SceneReader> reader = open_scene(path);
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->scene().cloud.sh_degree, whole.cloud.sh_degree);
  EXPECT_EQ(reader->scene().antialiased, whole.antialiased);
  EXPECT_EQ(reader->scene().vertical_axis, whole.vertical_axis);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(reader->scene().origin_in_file[axis], whole.origin_in_file[axis]);
  }
  EXPECT_EQ(reader->count(), whole.cloud.size() + whole.dropped);
  int64_t at = 0;
  for (int64_t first = 0; first < reader->count(); first += piece_size) {
    const core::GaussianCloud piece =
        reader->read(first, std::min(piece_size, reader->count() - first));
    ASSERT_LE(at + piece.size(), whole.cloud.size());
    for (int p = 0; p < whole.cloud.parameters.plane_count(); ++p) {
      for (int64_t i = 0; i < piece.size(); ++i) {
        ASSERT_EQ(std::bit_cast<uint32_t>(piece.plane(p)[i]),
                  std::bit_cast<uint32_t>(whole.cloud.plane(p)[at + i]))
            << "plane " << p << " of " << at + i;
      }
    }
    at += piece.size();
  }
  EXPECT_EQ(at, whole.cloud.size());
}

TEST(SceneReader, PiecesAreThoseOfTheWholeScene) {
  const test::TemporaryFolder folder;
  for (const int degree : {0, 2, 3}) {
    core::GaussianScene scene = scene_of(degree, 1000);
    scene.origin_in_file[1] = 5e6;
    write_scene(folder / "x.ply", scene);
    expect_pieces_of_whole(folder / "x.ply", 128);
    expect_pieces_of_whole(folder / "x.ply", 1000);
  }
}

// Coordinates in double precision, far out, big endian; every seventh record cannot be used.
void write_far(const fs::path& path, int count) {
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_big_endian 1.0\nelement vertex " << count << '\n';
  for (const char* name : {"x", "y", "z"}) file << "property double " << name << '\n';
  for (const char* name : {"f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2",
                           "rot_0", "rot_1", "rot_2", "rot_3"}) {
    file << "property float " << name << '\n';
  }
  file << "end_header\n";
  const auto put = [&](auto bits) {
    for (int byte = sizeof(bits) - 1; byte >= 0; --byte) {
      file.put(static_cast<char>(bits >> (8 * byte)));
    }
  };
  test::Random random(3);
  for (int i = 0; i < count; ++i) {
    for (const double middle : {432'000.0, 5'012'000.0, 80.0}) {
      put(std::bit_cast<uint64_t>(middle + random.uniform(-1, 1)));
    }
    for (int k = 0; k < 11; ++k) {
      const auto value = static_cast<float>(random.uniform(-1, 1));
      put(std::bit_cast<uint32_t>(i % 7 == 3 && k == 3 ? std::nanf("") : value));
    }
  }
}

TEST(SceneReader, FarCoordinatesAreShiftedAlike) {
  const test::TemporaryFolder folder;
  // Fewer than samples that the shift follows from, just as many, and more.
  for (const int count : {100, 20001, 20002, 30500}) {
    write_far(folder / "x.ply", count);
    expect_pieces_of_whole(folder / "x.ply", 8192);
    EXPECT_NEAR(open_scene(folder / "x.ply")->scene().origin_in_file[0], 432'000, 1);
  }
}

TEST(SceneReader, WhatMustBeReadWholeIsNotOpened) {
  const test::TemporaryFolder folder;
  write_scene(folder / "x.splat", scene_of(0, 10));
  EXPECT_EQ(open_scene(folder / "x.splat"), nullptr);
  std::ofstream(folder / "points.ply")
      << "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n1 2 3\n";
  EXPECT_EQ(open_scene(folder / "points.ply"), nullptr);
  // Whoever reads it whole says what is wrong.
  write_scene(folder / "cut.ply", scene_of(0, 10));
  fs::resize_file(folder / "cut.ply", fs::file_size(folder / "cut.ply") - 1);
  EXPECT_EQ(open_scene(folder / "cut.ply"), nullptr);
}

}  // namespace
}  // namespace tessera::assets
