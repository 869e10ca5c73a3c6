// Views of a real photo with depth: the reference view is the photo, and a view from beside it is
// near to what a camera saw there.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assets/photos/image_io.h"
#include "core/metrics.h"
#include "models/multiplane/plan.h"
#include "models/multiplane/screen_fill.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/test_data.h"

namespace tessera::models {
namespace {

TEST(Views, OfAloeAreNearItsPhotos) {
  TESSERA_NEED_TEST_DATA(folder, "stereo/aloe");
  constexpr core::PixelWindow kCrop = {500, 400, 384, 256};
  constexpr int kLargestDisparity = 128;
  core::ThreadPool pool(2);
  DepthPhoto photo;
  core::crop(assets::read_image(folder / "aloeL.jpg"), kCrop, photo.photo);
  const core::Image8 coded = assets::read_image(folder / "aloeGT.png");
  core::Camera& camera = photo.camera.camera;
  camera.width = kCrop.width;
  camera.height = kCrop.height;
  camera.fx = camera.fy = 400;
  camera.cx = 190;
  camera.cy = 120;
  photo.inverse_depth.resize(kCrop.width, kCrop.height, 1);
  for (int y = 0; y < kCrop.height; ++y) {
    for (int x = 0; x < kCrop.width; ++x) {
      photo.inverse_depth.at(x, y) =
          static_cast<float>(coded.at(kCrop.left + x, kCrop.top + y) / camera.fx);
    }
  }
  PlanSettings settings;
  settings.baseline = 1;
  const core::MultiplaneImage image = build_multiplane(photo, settings, pool);
  const auto renderer = render::make_multiplane_renderer("cpu", pool);
  render::MultiplaneOptions options;
  options.disparity = true;
  render::MultiplaneOutput output;
  renderer->forward(image, photo.camera, options, output);
  EXPECT_GT(core::measure(output.color, photo.photo, {}, pool).psnr, 48);

  // The right photo stands one unit beside; what the crop does not reach is left out.
  core::PosedCamera right = photo.camera;
  right.cam_from_world.translation = {-1, 0, 0};
  renderer->forward(image, right, options, output);
  fill_screen(output.color, output.alpha, output.disparity, pool);
  constexpr core::PixelWindow kCompared = {0, 0, kCrop.width - kLargestDisparity, kCrop.height};
  core::Image8 seen;
  core::crop(assets::read_image(folder / "aloeR.jpg"),
             {kCrop.left, kCrop.top, kCompared.width, kCompared.height}, seen);
  core::ImageF predicted;
  core::crop(output.color, kCompared, predicted);
  EXPECT_GT(core::measure(predicted, seen, {}, pool).psnr, 22);
}

// Two walls of a room, or of a house, meet in an edge.
TEST(Views, WhereSurfacesBendNoSeamShows) {
  for (const float slope : {0.2F, -0.2F}) {
    DepthPhoto photo;
    photo.photo.resize(192, 96, 3);
    photo.photo.data.fill(200);
    core::Camera& camera = photo.camera.camera;
    camera.width = 192;
    camera.height = 96;
    camera.fx = camera.fy = 200;
    camera.cx = 96;
    camera.cy = 48;
    photo.inverse_depth.resize(192, 96, 1);
    for (int y = 0; y < 96; ++y) {
      for (int x = 0; x < 192; ++x) {
        const float across = std::fabs(static_cast<float>(x) + 0.3F * static_cast<float>(y) - 105);
        photo.inverse_depth.at(x, y) = (40 + slope * across) / 200;
      }
    }
    PlanSettings settings;
    settings.baseline = 1;
    core::ThreadPool pool(2);
    const core::MultiplaneImage image = build_multiplane(photo, settings, pool);
    core::PosedCamera aside = photo.camera;
    aside.cam_from_world.translation = {-0.33, 0.17, 0};
    render::MultiplaneOutput output;
    render::make_multiplane_renderer("cpu", pool)->forward(image, aside, {}, output);
    float least = 1;
    for (int y = 16; y < 80; ++y) {
      for (int x = 40; x < 152; ++x) least = std::min(least, output.alpha.at(x, y));
    }
    EXPECT_GT(least, 0.99F) << "slope " << slope;
  }
}

}  // namespace
}  // namespace tessera::models
