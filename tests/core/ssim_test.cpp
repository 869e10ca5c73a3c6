// L1 and SSIM against their definition written out in double, and what masks and threads must not
// change.
// SPDX-License-Identifier: MIT
#include "core/ssim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "core/math/rng.h"
#include "tests/support/tolerance.h"

namespace tessera::core {
namespace {

constexpr float kWeight = 0.2F;

struct Pictures {
  ImageF render;
  Image8 photo;
  Image8 mask;

  Pictures(int width, int height, int channels, uint64_t seed = 1)
      : render(width, height, channels), photo(width, height, channels) {
    for (int64_t i = 0; i < render.data.size(); ++i) {
      const math::Random4 r = math::random_bits(seed, math::RandomStream::kInit, 0, i);
      const float wave = 0.5F + 0.4F * std::sin(0.05F * static_cast<float>(i % 977));
      render.data[i] = wave + 0.3F * (math::uniform_from_bits(r.v[0]) - 0.5F);
      photo.data[i] =
          static_cast<uint8_t>(255.0F * (wave * 0.8F) + 40.0F * math::uniform_from_bits(r.v[1]));
    }
  }

  void add_mask(uint64_t seed = 2) {
    mask = Image8(render.width, render.height, 1);
    for (int y = 0; y < mask.height; ++y) {
      for (int x = 0; x < mask.width; ++x) {
        const auto bits =
            math::random_bits(seed, math::RandomStream::kInit, 1, x / 4 * 1000 + y / 3);
        mask.at(x, y) = bits.v[0] % 3 == 0 ? 0 : 255;
      }
    }
  }
};

// The definition, nothing else.
struct Definition {
  const Pictures& pictures;
  std::vector<double> render;
  std::vector<double> photo;

  explicit Definition(const Pictures& p) : pictures(p) {
    for (const float v : p.render.data) render.push_back(v);
    for (const uint8_t v : p.photo.data) photo.push_back(v / 255.0);
  }

  bool counts(int x, int y) const {
    const ImageF& r = pictures.render;
    if (x < 0 || y < 0 || x >= r.width || y >= r.height) return false;
    return pictures.mask.empty() || pictures.mask.at(x, y) >= kMaskThreshold;
  }

  double ssim(int px, int py, int c) const {
    double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0, weights = 0;
    for (int dy = -5; dy <= 5; ++dy) {
      for (int dx = -5; dx <= 5; ++dx) {
        const double w = std::exp(-(dx * dx + dy * dy) / (2 * 1.5 * 1.5));
        weights += w;
        if (!counts(px + dx, py + dy)) continue;
        const int64_t i = index(px + dx, py + dy, c);
        mean_a += w * render[i];
        mean_b += w * photo[i];
        aa += w * render[i] * render[i];
        bb += w * photo[i] * photo[i];
        ab += w * render[i] * photo[i];
      }
    }
    mean_a /= weights;
    mean_b /= weights;
    const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
    const double variance_a = aa / weights - mean_a * mean_a;
    const double variance_b = bb / weights - mean_b * mean_b;
    const double covariance = ab / weights - mean_a * mean_b;
    return (2 * mean_a * mean_b + c1) * (2 * covariance + c2) /
           ((mean_a * mean_a + mean_b * mean_b + c1) * (variance_a + variance_b + c2));
  }

  // Sums over the window of (px, py) only, for differences; over everything by default.
  PhotoComparison compare(int px = 0, int py = 0, int reach = 1 << 20) const {
    const ImageF& r = pictures.render;
    double l1 = 0, total = 0;
    int64_t counted = 0;
    for (int y = 0; y < r.height; ++y) {
      for (int x = 0; x < r.width; ++x) {
        if (!counts(x, y)) continue;
        ++counted;
        if (std::abs(x - px) > reach || std::abs(y - py) > reach) continue;
        for (int c = 0; c < r.channels; ++c) {
          l1 += std::fabs(render[index(x, y, c)] - photo[index(x, y, c)]);
          total += ssim(x, y, c);
        }
      }
    }
    PhotoComparison result;
    result.counted_pixels = counted;
    result.l1 = l1 / (counted * r.channels);
    result.ssim = total / (counted * r.channels);
    return result;
  }

  int64_t index(int x, int y, int c) const {
    return (int64_t{y} * pictures.render.width + x) * pictures.render.channels + c;
  }
};

void expect_agrees(const Pictures& p, ThreadPool& pool) {
  PhotoComparer comparer(pool);
  ImageF gradient;
  const PhotoComparison got = comparer.compare(p.render, p.photo, p.mask, kWeight, gradient);
  const PhotoComparison want = Definition(p).compare();
  EXPECT_EQ(got.counted_pixels, want.counted_pixels);
  EXPECT_TRUE(test::near(got.l1, want.l1, test::kFloatMean));
  EXPECT_TRUE(test::near(got.ssim, want.ssim, test::kFloatMean));
}

TEST(Ssim, AgreesWithItsDefinitionAtAnySize) {
  ThreadPool pool(2);
  for (const auto& [width, height, channels] : {std::tuple{1, 1, 3},
                                                {9, 9, 3},
                                                {17, 33, 3},
                                                {64, 5, 1},
                                                {3, 70, 4},
                                                {530, 21, 3},
                                                {1101, 12, 3}}) {
    SCOPED_TRACE(testing::Message() << width << "x" << height << "x" << channels);
    Pictures p(width, height, channels);
    expect_agrees(p, pool);
    p.add_mask();
    p.mask.at(0, 0) = 255;
    expect_agrees(p, pool);
  }
}

TEST(Ssim, GradientIsThatOfTheDefinition) {
  ThreadPool pool(2);
  for (const bool masked : {false, true}) {
    for (const auto& [width, height, channels] : {std::tuple{1, 1, 3}, {9, 9, 1}, {23, 40, 3}}) {
      SCOPED_TRACE(testing::Message() << width << "x" << height << (masked ? " masked" : ""));
      Pictures p(width, height, channels);
      if (masked) p.add_mask();
      if (masked) p.mask.at(0, 0) = 255;
      PhotoComparer comparer(pool);
      ImageF gradient;
      comparer.compare(p.render, p.photo, p.mask, kWeight, gradient);

      Definition definition(p);
      const double step = 1e-5;
      double largest = 0;
      for (const float g : gradient.data) largest = std::max(largest, std::fabs(double{g}));
      for (int64_t i = 0; i < gradient.data.size(); i += 1 + gradient.data.size() / 97) {
        const int x = static_cast<int>(i / channels % width);
        const int y = static_cast<int>(i / channels / width);
        const double kept = definition.render[i];
        if (std::fabs(kept - definition.photo[i]) < 2 * step) continue;
        definition.render[i] = kept + step;
        const double above = definition.compare(x, y, kSsimRadius).loss(kWeight);
        definition.render[i] = kept - step;
        const double below = definition.compare(x, y, kSsimRadius).loss(kWeight);
        definition.render[i] = kept;
        EXPECT_NEAR(gradient.data[i], (above - below) / (2 * step),
                    test::kSsimGradientOfLargest * largest)
            << "at " << x << " " << y;
      }
    }
  }
}

TEST(Ssim, IsBitEqualForAnyNumberOfThreads) {
  Pictures p(411, 133, 3);
  p.add_mask();
  ThreadPool one(1);
  ImageF expected_gradient;
  const PhotoComparison expected =
      PhotoComparer(one).compare(p.render, p.photo, p.mask, kWeight, expected_gradient);
  for (const int threads : {2, 3, 5, 7}) {
    ThreadPool pool(threads);
    ImageF gradient;
    const PhotoComparison got =
        PhotoComparer(pool).compare(p.render, p.photo, p.mask, kWeight, gradient);
    EXPECT_EQ(got.l1, expected.l1);
    EXPECT_EQ(got.ssim, expected.ssim);
    EXPECT_TRUE(gradient == expected_gradient) << threads << " threads";
  }
}

TEST(Ssim, InstructionSetsAgree) {
  Pictures p(97, 41, 3);
  p.add_mask();
  ThreadPool pool(1);
  const PhotoComparison want = Definition(p).compare();
  for (const Isa isa : usable_isas()) {
    SCOPED_TRACE(name_of(isa));
    ImageF gradient;
    const PhotoComparison got =
        PhotoComparer(pool, isa).compare(p.render, p.photo, p.mask, kWeight, gradient);
    EXPECT_TRUE(test::near(got.l1, want.l1, test::kFloatMean));
    EXPECT_TRUE(test::near(got.ssim, want.ssim, test::kFloatMean));
  }
}

TEST(Ssim, BytesAndFloatsOfOnePhotoAgree) {
  const Pictures p(45, 31, 3);
  ImageF photo(45, 31, 3);
  for (int64_t i = 0; i < photo.data.size(); ++i) {
    photo.data[i] = static_cast<float>(p.photo.data[i]) * (1.0F / 255.0F);
  }
  ThreadPool pool(1);
  PhotoComparer comparer(pool);
  ImageF from_bytes, from_floats;
  const PhotoComparison a = comparer.compare(p.render, p.photo, p.mask, kWeight, from_bytes);
  const PhotoComparison b = comparer.compare(p.render, photo, p.mask, kWeight, from_floats);
  EXPECT_EQ(a.ssim, b.ssim);
  EXPECT_TRUE(from_bytes == from_floats);
  EXPECT_EQ(comparer.compare(p.render, photo, p.mask).ssim, a.ssim);
}

TEST(Ssim, WhatIsUnderTheMaskDoesNotMatter) {
  Pictures p(50, 40, 3);
  p.add_mask();
  ThreadPool pool(2);
  PhotoComparer comparer(pool);
  ImageF expected_gradient, gradient;
  const PhotoComparison expected =
      comparer.compare(p.render, p.photo, p.mask, kWeight, expected_gradient);
  for (int64_t i = 0; i < p.render.data.size(); ++i) {
    if (p.mask.data[i / 3] >= kMaskThreshold) continue;
    EXPECT_EQ(expected_gradient.data[i], 0.0F);
    p.render.data[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN() : 7.0F;
    p.photo.data[i] = 255;
  }
  const PhotoComparison got = comparer.compare(p.render, p.photo, p.mask, kWeight, gradient);
  EXPECT_EQ(got.l1, expected.l1);
  EXPECT_EQ(got.ssim, expected.ssim);
  EXPECT_TRUE(gradient == expected_gradient);
}

TEST(Ssim, AWhiteMaskIsNoMaskAndABlackOneCountsForNothing) {
  Pictures p(50, 40, 3);
  ThreadPool pool(2);
  PhotoComparer comparer(pool);
  ImageF expected_gradient, gradient;
  const PhotoComparison expected =
      comparer.compare(p.render, p.photo, p.mask, kWeight, expected_gradient);
  p.mask = Image8(50, 40, 1);
  p.mask.data.fill(255);
  const PhotoComparison white = comparer.compare(p.render, p.photo, p.mask, kWeight, gradient);
  EXPECT_EQ(white.loss(kWeight), expected.loss(kWeight));
  EXPECT_TRUE(gradient == expected_gradient);

  p.mask.data.fill(0);
  const PhotoComparison black = comparer.compare(p.render, p.photo, p.mask, kWeight, gradient);
  EXPECT_EQ(black.counted_pixels, 0);
  EXPECT_EQ(black.loss(kWeight), 0.0);
  for (const float g : gradient.data) ASSERT_EQ(g, 0.0F);
}

TEST(Ssim, HalvingTheAreaDoesNotHalveTheLoss) {
  Pictures p(60, 40, 3);
  for (int64_t i = 0; i < p.render.data.size(); ++i) {
    p.render.data[i] = 0.5F;
    p.photo.data[i] = 51;
  }
  p.mask = Image8(60, 40, 1);
  p.mask.data.fill(0);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 30; ++x) p.mask.at(x, y) = 255;
  }
  ThreadPool pool(1);
  ImageF gradient;
  const PhotoComparison half =
      PhotoComparer(pool).compare(p.render, p.photo, p.mask, kWeight, gradient);
  EXPECT_EQ(half.counted_pixels, 1200);
  EXPECT_TRUE(test::near(half.l1, 0.3, test::kFloatMean));
}

TEST(Ssim, RefusesPicturesThatDoNotMatch) {
  ThreadPool pool(1);
  PhotoComparer comparer(pool);
  const Pictures p(20, 10, 3);
  EXPECT_THROW(comparer.compare(p.render, ImageF(21, 10, 3), Image8()), Error);
  EXPECT_THROW(comparer.compare(p.render, ImageF(20, 10, 4), Image8()), Error);
  EXPECT_THROW(comparer.compare(p.render, p.render, Image8(10, 20, 1)), Error);
  EXPECT_THROW(comparer.compare(ImageF(2, 2, 5), ImageF(2, 2, 5), Image8()), Error);
}

}  // namespace
}  // namespace tessera::core
