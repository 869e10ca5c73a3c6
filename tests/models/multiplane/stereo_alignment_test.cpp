// Real rectified pairs are told from exchanged and from shifted ones by their corners.
// SPDX-License-Identifier: MIT
#include "models/multiplane/stereo_alignment.h"

#include <gtest/gtest.h>

#include <array>

#include "assets/photos/image_io.h"
#include "tests/support/test_data.h"

namespace tessera::models {
namespace {

struct Pair {
  core::Image8 left, right;
};

core::Image8 moved_down(const core::Image8& image, int pixels) {
  core::Image8 moved(image.width, image.height, image.channels);
  moved.data.fill(0);
  core::copy_pixels(image, 0, 0, moved, 0, pixels, image.width, image.height - pixels);
  return moved;
}

class StereoAlignmentTest : public testing::Test {
 protected:
  StereoAlignment align(const core::Image8& left, const core::Image8& right) {
    return align_stereo(left, right, left.width / 5, pool_);
  }

  core::ThreadPool pool_;
};

TEST_F(StereoAlignmentTest, RealPairs) {
  TESSERA_NEED_TEST_DATA(folder, "stereo");
  const std::array<std::array<const char*, 2>, 2> names = {
      {{"aloe/aloeL.jpg", "aloe/aloeR.jpg"},
       {"middlebury_cones/im2.png", "middlebury_cones/im6.png"}}};
  for (const auto& [left_name, right_name] : names) {
    SCOPED_TRACE(left_name);
    const core::Image8 left = assets::read_image(folder / left_name);
    const core::Image8 right = assets::read_image(folder / right_name);
    const StereoAlignment good = align(left, right);
    EXPECT_TRUE(good.is_known());
    EXPECT_TRUE(good.is_rectified());
    EXPECT_FALSE(good.is_exchanged());
    EXPECT_LT(good.right_shift_px, -20);
    EXPECT_EQ(good.vertical_px, 0);

    const StereoAlignment exchanged = align(right, left);
    EXPECT_TRUE(exchanged.is_exchanged());
    EXPECT_GT(exchanged.right_shift_px, 20);

    const StereoAlignment lower = align(left, moved_down(right, 6));
    EXPECT_FALSE(lower.is_rectified());
    EXPECT_NEAR(lower.vertical_px, 6, lower.precision_px);
    EXPECT_FALSE(lower.is_exchanged());
  }
}

TEST_F(StereoAlignmentTest, PicturesWithoutCornersTellNothing) {
  core::Image8 grey(200, 150, 3);
  grey.data.fill(90);
  const StereoAlignment alignment = align(grey, grey);
  EXPECT_EQ(alignment.matches, 0);
  EXPECT_FALSE(alignment.is_known());
  EXPECT_TRUE(alignment.is_rectified());
  const core::Image8 tiny(1, 1, 3);
  EXPECT_EQ(align(tiny, tiny).matches, 0);
}

}  // namespace
}  // namespace tessera::models
