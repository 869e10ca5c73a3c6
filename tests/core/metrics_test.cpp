// PSNR and MS-SSIM against values worked out by hand or by their definition.
// SPDX-License-Identifier: MIT
#include "core/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "core/error.h"
#include "core/math/rng.h"
#include "tests/support/tolerance.h"

namespace tessera::core {
namespace {

ImageF constant(int width, int height, float value) {
  ImageF image(width, height, 3);
  image.data.fill(value);
  return image;
}

ImageF noisy(int width, int height, float amplitude) {
  ImageF image(width, height, 3);
  for (int64_t i = 0; i < image.data.size(); ++i) {
    const math::Random4 r = math::random_bits(9, math::RandomStream::kInit, 0, i);
    image.data[i] = 0.5F + 0.3F * std::sin(0.01F * static_cast<float>(i % 900)) +
                    amplitude * (math::uniform_from_bits(r.v[0]) - 0.5F);
  }
  return image;
}

TEST(Metrics, PsnrIsThatOfTheMeanSquare) {
  ThreadPool pool(1);
  const ImageMetrics m = measure(constant(30, 20, 0.5F), constant(30, 20, 0.6F), {}, pool);
  EXPECT_TRUE(test::near(m.psnr, 20.0, test::kFloatMean));
  EXPECT_EQ(m.counted_pixels, 600);
  Image8 bytes(30, 20, 3);
  bytes.data.fill(255);
  EXPECT_TRUE(
      test::near(measure(constant(30, 20, 0.9F), bytes, {}, pool).psnr, 20.0, test::kFloatMean));
}

TEST(Metrics, ValuesAreClampedFirst) {
  ThreadPool pool(1);
  const ImageMetrics m = measure(constant(30, 20, 3.5F), constant(30, 20, 1.0F), {}, pool);
  EXPECT_TRUE(std::isinf(m.psnr));
  EXPECT_TRUE(test::near(m.ssim, 1.0, test::kFloatMean));
}

TEST(Metrics, OnlyWhatTheMaskLeavesCounts) {
  ThreadPool pool(1);
  ImageF render = noisy(200, 190, 0.2F);
  const ImageF photo = noisy(200, 190, 0.0F);
  Image8 mask(200, 190, 1);
  mask.data.fill(255);
  const ImageMetrics all = measure(render, photo, {}, pool);
  const ImageMetrics white = measure(render, photo, mask, pool);
  EXPECT_EQ(white.psnr, all.psnr);
  EXPECT_EQ(white.ssim, all.ssim);
  EXPECT_EQ(white.ms_ssim, all.ms_ssim);
  for (int y = 40; y < 90; ++y) {
    for (int x = 61; x < 130; ++x) mask.at(x, y) = 0;
  }
  const ImageMetrics before = measure(render, photo, mask, pool);
  for (int y = 40; y < 90; ++y) {
    for (int x = 61; x < 130; ++x) render.at(x, y, 1) = 1.0F;
  }
  const ImageMetrics after = measure(render, photo, mask, pool);
  EXPECT_EQ(after.psnr, before.psnr);
  EXPECT_EQ(after.ssim, before.ssim);
  EXPECT_EQ(after.ms_ssim, before.ms_ssim);
  mask.data.fill(0);
  EXPECT_EQ(measure(render, photo, mask, pool).counted_pixels, 0);
}

// One constant picture against another: contrast and structure are 1 at every scale, luminance
// counts at the last one with its weight.
TEST(Metrics, MsSsimOfConstantPictures) {
  ThreadPool pool(2);
  const double a = 0.4, b = 0.6, c1 = 1e-4;
  const double luminance = (2 * a * b + c1) / (a * a + b * b + c1);
  const ImageMetrics full = measure(constant(181, 177, 0.4F), constant(181, 177, 0.6F), {}, pool);
  EXPECT_EQ(full.ms_ssim_scales, 5);
  EXPECT_TRUE(test::near(full.ms_ssim, std::pow(luminance, 0.1333 / 1.0001), test::kFloatVariance));
  const ImageMetrics two = measure(constant(43, 30, 0.4F), constant(43, 30, 0.6F), {}, pool);
  EXPECT_EQ(two.ms_ssim_scales, 2);
  EXPECT_TRUE(test::near(two.ms_ssim, std::pow(luminance, 0.2856 / (0.0448 + 0.2856)),
                         test::kFloatVariance));
}

TEST(Metrics, MsSsimFallsWithNoiseAndIsOneForEqualPictures) {
  ThreadPool pool(2);
  const ImageF photo = noisy(256, 192, 0.0F);
  EXPECT_TRUE(test::near(measure(photo, photo, {}, pool).ms_ssim, 1.0, test::kFloatMean));
  const double little = measure(noisy(256, 192, 0.1F), photo, {}, pool).ms_ssim;
  const double much = measure(noisy(256, 192, 0.4F), photo, {}, pool).ms_ssim;
  EXPECT_LT(little, 1.0);
  EXPECT_LT(much, little);
  EXPECT_GT(much, 0.0);
}

TEST(Metrics, SmallPicturesHaveFewerScales) {
  ThreadPool pool(1);
  for (const auto& [width, height, scales] : {std::tuple{1, 1, 0},
                                              {9, 9, 0},
                                              {11, 11, 1},
                                              {21, 40, 1},
                                              {22, 22, 2},
                                              {175, 400, 4},
                                              {176, 176, 5},
                                              {1000, 1000, 5}}) {
    const ImageMetrics m = measure(noisy(width, height, 0.2F), noisy(width, height, 0), {}, pool);
    EXPECT_EQ(m.ms_ssim_scales, scales) << width << "x" << height;
    EXPECT_TRUE(std::isfinite(m.ms_ssim));
    if (scales == 0) {
      EXPECT_EQ(m.ms_ssim, m.ssim);
    }
  }
}

}  // namespace
}  // namespace tessera::core
