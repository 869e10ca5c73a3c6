// Damaged models and JSON files: each is read or refused by an error that names the file, and
// nothing else happens.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "assets/captures/capture_reader.h"
#include "assets/captures/colmap_model.h"
#include "tests/assets/captures/capture_support.h"
#include "tests/support/mutations.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& bytes) {
  fs::remove(path);  // some file systems sync what is written over
  std::ofstream(path, std::ios::binary) << bytes;
}

// Damages one file of the model after the other. Returns how many copies were refused.
int read_damaged_models(const fs::path& model, const std::vector<std::string>& files, int copies) {
  const test::TemporaryFolder folder;
  for (const std::string& file : files) write(folder / file, content_of(model / file));
  int refused = 0;
  for (const std::string& file : files) {
    const std::string whole = content_of(model / file);
    EXPECT_FALSE(whole.empty()) << file;
    for (int i = 0; i < copies; ++i) {
      write(folder / file, i < 16 ? cut_at(whole, i) : damaged(whole, i));
      const std::string error = error_of([&] { assets::read_colmap_model(folder.path()); });
      if (!error.empty()) {
        EXPECT_THAT(error, HasSubstr(folder.path().string()));
        ++refused;
      }
    }
    write(folder / file, whole);
  }
  EXPECT_EQ(error_of([&] { assets::read_colmap_model(folder.path()); }), "");
  return refused;
}

TEST(DamagedCaptures, ColmapBinary) {
  const int refused = read_damaged_models(TESSERA_FIXTURES "/colmap/binary",
                                          {"cameras.bin", "images.bin", "points3D.bin"}, 300);
  EXPECT_GE(refused, 3 * 16);  // at the least every cut file
}

TEST(DamagedCaptures, ColmapText) {
  EXPECT_GT(read_damaged_models(TESSERA_FIXTURES "/colmap/text",
                                {"cameras.txt", "images.txt", "points3D.txt"}, 300),
            3 * 16);
}

TEST(DamagedCaptures, TransformsJson) {
  TESSERA_NEED_TEST_DATA(file, "odd/transforms/per_frame_intrinsics_unordered.json");
  const std::string whole = content_of(file);
  const test::TemporaryFolder folder;
  assets::CaptureOptions options;
  options.photos_required = false;
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    write(folder / "transforms.json", i < 16 ? cut_at(whole, i) : damaged(whole, i));
    const std::string error = error_of([&] { assets::read_capture(folder.path(), options); });
    if (!error.empty()) {
      EXPECT_THAT(error, HasSubstr(folder.path().string()));
      ++refused;
    }
  }
  EXPECT_GE(refused, 16);
}

}  // namespace
}  // namespace tessera::tests
