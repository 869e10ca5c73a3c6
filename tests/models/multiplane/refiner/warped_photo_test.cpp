// Photos moved to a place nearby: back from there they are the photos that they were.
// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/warped_photo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/metrics.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/models/multiplane/refiner/made_training_photos.h"

namespace tessera::models {
namespace {

class WarpedPhotoTest : public ::testing::Test {
 protected:
  // The view from the photo's place of the picture from nearby.
  render::MultiplaneOutput seen_back(const WarpedPhoto& example) {
    PlanSettings settings;
    settings.baseline = example.baseline;
    const core::MultiplaneImage image = build_multiplane(example.nearby, settings, pool_);
    render::MultiplaneOutput output;
    render::make_multiplane_renderer("cpu", pool_)->forward(image, example.camera, {}, output);
    return output;
  }
  // Of what the view shows of the truth.
  double psnr(const WarpedPhoto& example) {
    const render::MultiplaneOutput output = seen_back(example);
    core::Image8 mask = example.truth_mask;
    for (int64_t i = 0; i < mask.data.size(); ++i) {
      if (output.alpha.data[i] < 0.5F) mask.data[i] = 0;
    }
    return core::measure(output.color, example.truth, mask, pool_).psnr;
  }
  core::ThreadPool pool_{2};
};

TEST_F(WarpedPhotoTest, ASlantedWallIsSeenAsItself) {
  const std::vector<TrainingPhoto> photos = {squares_before_ground(
      200, [](int x, int y, int c, bool) { return stripes(x, y, c, 0.2F); },
      [](int x, int y, bool) {
        return 1 + 0.002F * static_cast<float>(x) + 0.001F * static_cast<float>(y);
      })};
  for (int step = 0; step < 8; ++step) {
    const WarpedPhoto example = warped_photo(photos, 96, 7, step);
    EXPECT_GT(psnr(example), 34) << step;
    // What is nearby holds nothing that the piece does not show.
    EXPECT_LT(std::ranges::count(example.nearby_mask.data, 0),
              0.01 * example.nearby_mask.pixel_count())
        << step;
  }
}

TEST_F(WarpedPhotoTest, SquaresBeforeAnEvenGroundAreSeenAsThemselves) {
  const std::vector<TrainingPhoto> photos = {squares_before_ground(
      200,
      [](int x, int y, int c, bool square) {
        return square ? stripes(x, y, c, 0.2F) : static_cast<uint8_t>(40 + 60 * c);
      },
      [](int, int, bool square) { return square ? 1.0F : 0.3F; })};
  for (int step = 0; step < 8; ++step) {
    const WarpedPhoto example = warped_photo(photos, 96, 7, step);
    EXPECT_GT(psnr(example), 28) << step;
  }
}

TEST_F(WarpedPhotoTest, AHiddenGroundIsFilledFromBeside) {
  const std::vector<TrainingPhoto> photos = made_set();
  for (int step = 0; step < 8; ++step) {
    const WarpedPhoto example = warped_photo(photos, 96, 7, step);
    EXPECT_TRUE(example.truth_mask.width == 96 && example.truth_mask.height == 96);
    printf("%.2f\n", psnr(example));
    EXPECT_GT(psnr(example), 18) << step;
  }
}

TEST_F(WarpedPhotoTest, WithoutDepthThereIsNothing) {
  TrainingPhoto photo = stripes_behind_squares(200, 0);
  photo.inverse_depth.data.fill(0);
  const std::vector<TrainingPhoto> photos = {photo};
  EXPECT_EQ(warped_photo(photos, 96, 7, 0).truth.width, 0);
}

}  // namespace
}  // namespace tessera::models
