// A fixed scene against its committed picture: what a rendered picture is must not drift unnoticed,
// in the reference and every other backend together.
//
// tests/data/reference_picture.ppm holds 16 bits a channel, color / 2. The double backend made it;
// with TESSERA_UPDATE_FIXTURES set in the environment it is made anew, for when the definition
// changes on purpose.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "render/gaussian/backends/reference_render.h"
#include "render/gaussian/rasterizer.h"
#include "tests/support/raster_scenes.h"
#include "tests/support/raster_variant.h"
#include "tests/support/tolerance.h"

namespace tessera::render {
namespace {

const std::string kPath = std::string(TESSERA_FIXTURES) + "/reference_picture.ppm";
constexpr double kSteps = 65535 / 2.0;  // per unit of color

test::RasterScene fixed_scene() {
  test::RandomCloud spec;
  spec.seed = 2024;
  spec.count = 200;
  spec.sh_degree = 3;
  test::RasterScene scene =
      test::scenes::random("fixed", spec, test::pinhole_camera(48, 36, test::random_pose(2024)));
  scene.options.antialiased = true;
  return scene;
}

void write_picture(const test::RasterScene& scene) {
  const ReferencePictures pictures =
      reference_render(ReferenceScene(scene.cloud, scene.camera, scene.options));
  std::ofstream file(kPath, std::ios::binary);
  file << "P6\n" << scene.camera.camera.width << " " << scene.camera.camera.height << "\n65535\n";
  for (const double c : pictures.color) {
    const auto level = static_cast<uint16_t>(std::clamp(std::round(c * kSteps), 0.0, 65535.0));
    file.put(static_cast<char>(level >> 8)).put(static_cast<char>(level & 0xFF));
  }
}

std::vector<double> read_picture(int width, int height) {
  std::ifstream file(kPath, std::ios::binary);
  std::string magic;
  int w = 0, h = 0, most = 0;
  file >> magic >> w >> h >> most;
  file.get();
  if (magic != "P6" || w != width || h != height || most != 65535) return {};
  std::vector<double> color(3 * static_cast<size_t>(width) * height);
  for (double& c : color) {
    const int high = file.get();
    c = (high * 256 + file.get()) / kSteps;
  }
  return file ? color : std::vector<double>();
}

class ReferencePictureTest : public testing::TestWithParam<test::RasterVariant> {};

TEST_P(ReferencePictureTest, IsWhatIsDrawn) {
  const test::RasterScene scene = fixed_scene();
  if (std::getenv("TESSERA_UPDATE_FIXTURES") != nullptr) write_picture(scene);
  const core::Camera& camera = scene.camera.camera;
  const std::vector<double> expected = read_picture(camera.width, camera.height);
  ASSERT_FALSE(expected.empty()) << kPath << " cannot be read";

  core::ThreadPool pool(1);
  RenderOutput output;
  GetParam().make(pool)->forward(scene.cloud, scene.camera, scene.options, output);
  int64_t crossed = 0;
  for (int64_t i = 0; i < output.color.data.size(); ++i) {
    const double difference = std::fabs(output.color.data[i] - expected[i]);
    if (difference <= test::kPicture + 0.5 / kSteps) continue;
    EXPECT_LE(difference, test::kPictureCrossing) << "at value " << i;
    ++crossed;
  }
  EXPECT_LE(static_cast<double>(crossed), test::kCrossingShare * output.color.data.size());
}

INSTANTIATE_TEST_SUITE_P(Backends, ReferencePictureTest, testing::ValuesIn(test::raster_variants()),
                         [](const auto& variant) { return variant.param.name(); });

}  // namespace
}  // namespace tessera::render
