// Several photos of a square before a wall: the sweep finds where both are, and the fit shows them
// from where no photo was taken.
// SPDX-License-Identifier: MIT
#include "models/multiplane/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/metrics.h"
#include "distributed/backends/lone_rank.h"
#include "models/multiplane/cropped_layers.h"
#include "models/multiplane/texel_optimizer.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::models {
namespace {

constexpr int kWidth = 72;
constexpr int kHeight = 54;
constexpr double kWall = 4;
constexpr double kSquare = 2;

core::PosedCamera camera_at(double x, double y) {
  core::PosedCamera camera;
  camera.camera.width = kWidth;
  camera.camera.height = kHeight;
  camera.camera.fx = camera.camera.fy = 70;
  camera.camera.cx = 0.5 * kWidth;
  camera.camera.cy = 0.5 * kHeight;
  camera.cam_from_world.translation = {-x, -y, 0};
  return camera;
}

double texture(double x, double y, int c) {
  return 120 + 45 * std::sin(9 * x + 5 * y + c) + 45 * std::sin(4 * x - 11 * y * (1 + 0.1 * c));
}

PosedPhoto photo_from(double x, double y) {
  PosedPhoto photo;
  photo.camera = camera_at(x, y);
  photo.pixels.resize(kWidth, kHeight, 3);
  const core::Camera& camera = photo.camera.camera;
  for (int v = 0; v < kHeight; ++v) {
    for (int u = 0; u < kWidth; ++u) {
      const double dx = (u + 0.5 - camera.cx) / camera.fx;
      const double dy = (v + 0.5 - camera.cy) / camera.fy;
      const bool square = std::abs(x + dx * kSquare) < 0.35 && std::abs(y + dy * kSquare) < 0.3;
      const double depth = square ? kSquare : kWall;
      for (int c = 0; c < 3; ++c) {
        const double value = texture(x + dx * depth, y + dy * depth, square ? c + 4 : c);
        photo.pixels.at(u, v, c) = static_cast<uint8_t>(std::lround(value));
      }
    }
  }
  return photo;
}

std::vector<PosedPhoto> photos() {
  return {photo_from(0, 0), photo_from(-0.3, 0), photo_from(0.3, 0.05), photo_from(0, -0.25),
          photo_from(0.05, 0.25)};
}

class FitTest : public testing::Test {
 protected:
  double psnr_from(const core::MultiplaneImage& image, double x, double y) {
    render::MultiplaneOutput output;
    render::make_multiplane_renderer("cpu", pool_)->forward(image, camera_at(x, y), {}, output);
    // Without the borders, of which fewer photos show something.
    const core::PixelWindow inner = {7, 5, kWidth - 14, kHeight - 10};
    core::ImageF of_render;
    core::Image8 of_photo;
    core::crop(output.color, inner, of_render);
    core::crop(photo_from(x, y).pixels, inner, of_photo);
    return core::measure(of_render, of_photo, {}, pool_).psnr;
  }
  static FitSettings settings(int steps) {
    FitSettings settings;
    settings.planes = 12;
    settings.steps = steps;
    return settings;
  }

  core::ThreadPool pool_;
  std::unique_ptr<distributed::Communicator> rank_ = distributed::lone_rank();
};

TEST_F(FitTest, PhotosAgreeWhereSurfacesAre) {
  const std::vector<PosedPhoto> taken = photos();
  const core::PixelWindow window = {0, 0, kWidth, kHeight};
  const SweptPlane on_wall = sweep_plane(taken, taken[0].camera, window, 1 / kWall, pool_);
  const SweptPlane on_square = sweep_plane(taken, taken[0].camera, window, 1 / kSquare, pool_);
  // Away from the square and from what it hides: a corner of the wall; and the square's middle.
  EXPECT_LT(on_wall.deviation.at(8, 8), 0.02);
  EXPECT_GT(on_square.deviation.at(8, 8), 0.05);
  EXPECT_LT(on_square.deviation.at(kWidth / 2, kHeight / 2), 0.02);
  EXPECT_GT(on_wall.deviation.at(kWidth / 2, kHeight / 2), 0.05);
  EXPECT_NEAR(on_wall.color.at(8, 8, 1), taken[0].pixels.at(8, 8, 1) / 255.0, 0.02);

  // One photo alone agrees with nobody.
  const SweptPlane alone = sweep_plane({taken.data(), 1}, taken[0].camera, window, 0.25, pool_);
  EXPECT_EQ(alone.deviation.at(8, 8), std::numeric_limits<float>::infinity());
}

TEST_F(FitTest, TheRangeHoldsBothSurfaces) {
  const std::vector<PosedPhoto> taken = photos();
  const InverseDepthRange range = swept_range(taken, taken[0].camera, pool_);
  EXPECT_GT(range.nearest, 1 / kSquare);
  EXPECT_LT(range.nearest, 1 / (0.5 * kSquare));
  EXPECT_LT(range.farthest, 1 / kWall);
  EXPECT_GT(range.farthest, 1 / (4 * kWall));
}

TEST_F(FitTest, TheReferenceIsInTheMiddle) {
  std::vector<PosedPhoto> taken = photos();
  EXPECT_EQ(reference_photo(taken), 0);
  std::swap(taken[0], taken[3]);
  EXPECT_EQ(reference_photo(taken), 3);
}

TEST_F(FitTest, ViewsBetweenPhotosAreRight) {
  std::vector<double> losses;
  const auto remember = [&](int step, double loss) {
    EXPECT_EQ(step, static_cast<int>(losses.size()) + 1);
    losses.push_back(loss);
    return true;
  };
  const std::vector<PosedPhoto> taken = photos();
  const core::MultiplaneImage swept = fit_multiplane(taken, settings(0), *rank_, pool_, remember);
  const core::MultiplaneImage fitted = fit_multiplane(taken, settings(24), *rank_, pool_, remember);
  ASSERT_EQ(losses.size(), 24U);
  EXPECT_LT(losses.back(), 0.5 * losses.front());
  const double before = psnr_from(swept, 0.15, 0.1);
  const double after = psnr_from(fitted, 0.15, 0.1);
  EXPECT_GT(after, before + 2);
  EXPECT_GT(after, 26);
  // Windows reach beyond the reference picture, to what others see.
  EXPECT_LT(
      std::min_element(fitted.layers.begin(), fitted.layers.end(),
                       [](const auto& a, const auto& b) { return a.window.left < b.window.left; })
          ->window.left,
      0);
}

TEST_F(FitTest, AnyNumberOfThreadsGivesTheSame) {
  const std::vector<PosedPhoto> taken = photos();
  const auto go_on = [](int, double) { return true; };
  core::ThreadPool one(1);
  core::ThreadPool three(3);
  const core::MultiplaneImage a = fit_multiplane(taken, settings(3), *rank_, one, go_on);
  const core::MultiplaneImage b = fit_multiplane(taken, settings(3), *rank_, three, go_on);
  EXPECT_EQ(a.layers, b.layers);
  EXPECT_EQ(a.pages, b.pages);
}

TEST_F(FitTest, PhotosThatSayNothingOfDepthAreRefused) {
  const auto go_on = [](int, double) { return true; };
  const std::vector<PosedPhoto> one = {photo_from(0, 0)};
  EXPECT_THROW(fit_multiplane(one, {}, *rank_, pool_, go_on), core::Error);
  const std::vector<PosedPhoto> same = {photo_from(0, 0), photo_from(0, 0)};
  EXPECT_THROW(fit_multiplane(same, {}, *rank_, pool_, go_on), core::Error);
  FitSettings inside_out = settings(1);
  inside_out.nearest = 3;
  inside_out.farthest = 2;
  EXPECT_THROW(fit_multiplane(photos(), inside_out, *rank_, pool_, go_on), core::Error);
}

// A page of 40x20 texels, all of one color, with this alpha.
core::MultiplaneImageF one_layer(float alpha) {
  core::MultiplaneImageF image;
  image.camera = camera_at(0, 0);
  core::ImageF& page = image.pages.emplace_back(44, 24, 4);
  page.data.fill(0);
  image.layers.push_back({{0, 0, 0.25F}, {-3, 5, 40, 20}, 0, 2, 2});
  for (int y = 2; y < 22; ++y) {
    for (int x = 2; x < 42; ++x) {
      for (int c = 0; c < 3; ++c) page.at(x, y, c) = 0.5F * alpha;
      page.at(x, y, 3) = alpha;
    }
  }
  return image;
}

TEST(TexelOptimizer, MovesWhatHasAGradientAgainstIt) {
  core::ThreadPool pool(1);
  core::MultiplaneImageF image = one_layer(0.5F);
  const core::MultiplaneImageF before = image;
  TexelOptimizer optimizer(image, {0, 24});
  std::vector<core::ImageF> gradient = {core::ImageF(44, 24, 4)};
  gradient[0].data.fill(0);
  gradient[0].at(10, 10, 3) = 1;   // less alpha
  gradient[0].at(20, 10, 0) = -1;  // more red
  optimizer.step(0.1F, gradient, image, pool);
  EXPECT_LT(image.pages[0].at(10, 10, 3), 0.49F);
  EXPECT_GT(image.pages[0].at(20, 10, 0), before.pages[0].at(20, 10, 0) + 0.005F);
  EXPECT_EQ(image.pages[0].at(30, 10, 3), before.pages[0].at(30, 10, 3));
  for (const float value : gradient[0].data) ASSERT_EQ(value, 0);
}

TEST(TexelOptimizer, WhatIsClearedStaysClear) {
  core::ThreadPool pool(1);
  core::MultiplaneImageF image = one_layer(0.5F);
  image.pages[0].at(10, 10, 3) = 0.01F;
  TexelOptimizer optimizer(image, {0, 24});
  optimizer.clear_below(0.03F, image, pool);
  EXPECT_EQ(image.pages[0].at(10, 10, 3), 0);
  EXPECT_EQ(image.pages[0].at(11, 10, 3), 0.5F);
  std::vector<core::ImageF> gradient = {core::ImageF(44, 24, 4)};
  gradient[0].data.fill(-1);
  optimizer.step(0.1F, gradient, image, pool);
  EXPECT_EQ(image.pages[0].at(10, 10, 3), 0);
  EXPECT_GT(image.pages[0].at(11, 10, 3), 0.5F);
}

TEST(CroppedLayers, PartsApartBecomeLayersWithNothingOfOneAnother) {
  core::MultiplaneImageF image = one_layer(0.5F);
  // A gap of two blocks of 16 texels in the middle, but for nothing: left 0..5, right 38..39.
  for (int y = 2; y < 22; ++y) {
    for (int x = 8; x < 40; ++x) std::fill_n(&image.pages[0].at(x, y), 4, 0.0F);
  }
  const core::MultiplaneImage cropped = cropped_layers(image);
  ASSERT_EQ(cropped.layers.size(), 2U);
  EXPECT_EQ(cropped.layers[0].window, (core::PixelWindow{-3, 5, 16, 20}));
  EXPECT_EQ(cropped.layers[1].window, (core::PixelWindow{29, 5, 8, 20}));
  const core::MultiplaneLayer& left = cropped.layers[0];
  EXPECT_EQ(cropped.pages[0].at(left.x, left.y, 3), 128);
  EXPECT_EQ(cropped.pages[0].at(left.x, left.y, 0), 64);
  EXPECT_EQ(cropped.pages[0].at(left.x + 5, left.y, 3), 128);
  EXPECT_EQ(cropped.pages[0].at(left.x + 6, left.y, 3), 0);
  EXPECT_TRUE(cropped_layers(one_layer(0.001F)).layers.empty());
}

}  // namespace
}  // namespace tessera::models
