// A multiplane image of a real photo, written in every format: sizes, and what comes back.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>

#include "assets/multiplane_io.h"
#include "bench/models/stereo_pairs.h"
#include "core/metrics.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace tessera::models {
namespace {

namespace fs = std::filesystem;

double megabytes(const fs::path& path) {
  if (fs::is_regular_file(path)) return 1e-6 * static_cast<double>(fs::file_size(path));
  double sum = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) sum += 1e-6 * static_cast<double>(entry.file_size());
  }
  return sum;
}

// PNG packs the texels of photos, some 3 bytes of each 4 that are not transparent, to half.
TEST(WrittenFiles, OfAloeAreSmallAndComeBack) {
  TESSERA_NEED_TEST_DATA(folder, "stereo");
  core::ThreadPool pool(2);
  const StereoPair pair = stereo_pairs(folder).at(0);
  ASSERT_EQ(pair.name, "Aloe");
  PlanSettings settings;
  settings.baseline = 1;
  const core::MultiplaneImage image =
      build_multiplane(depth_photo(pair, pair.disparity), settings, pool);
  const test::TemporaryFolder out;
  for (const assets::MultiplaneFormatEntry& format : assets::multiplane_formats()) {
    SCOPED_TRACE(format.name);
    const fs::path path = out / ("aloe" + std::string(format.extensions.front()));
    assets::write_multiplane(path, image);
    RecordProperty(std::string(format.name) + "_MB", std::to_string(megabytes(path)));
    const double planes = 1e-6 * 32 * 4 * pair.left.pixel_count();
    EXPECT_LT(megabytes(path), format.name == "llff" ? planes + 1 : 24);
    if (format.read == nullptr) continue;
    const core::MultiplaneImage read = assets::read_multiplane(path);
    if (assets::multiplane_losses(path, image).empty()) {
      EXPECT_EQ(read.layers, image.layers);
      EXPECT_EQ(read.pages, image.pages);
      continue;
    }
    render::MultiplaneOutput output;
    render::make_multiplane_renderer("cpu", pool)->forward(read, image.camera, {}, output);
    EXPECT_GT(core::measure(output.color, pair.left, {}, pool).psnr, 48);
  }
}

}  // namespace
}  // namespace tessera::models
