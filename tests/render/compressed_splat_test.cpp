// Splats of 22 bytes come back within the errors of their codes; needles stay ellipses.
// SPDX-License-Identifier: MIT
#include "render/gaussian/compressed_splat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/cpu_projection.h"
#include "tests/support/random_scene.h"

namespace tessera::render {
namespace {

constexpr double kHalfUlp = 0x1p-11;  // of half precision, relative
constexpr double kHalfLog2e = 0.72134752044448170;

double determinant(const CpuSplat& s) {
  return double{s.conic_xx} * double{s.conic_yy} - 0.25 * double{s.conic_xy} * double{s.conic_xy};
}

// A splat with these standard deviations, the longer axis turned by `angle`.
CpuSplat ellipse(double along, double across, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const double p = kHalfLog2e / (along * along), q = kHalfLog2e / (across * across);
  CpuSplat splat = {};
  splat.mean_x = 100;
  splat.mean_y = 50;
  splat.conic_xx = static_cast<float>(-(c * c * p + s * s * q));
  splat.conic_xy = static_cast<float>(-2 * c * s * (p - q));
  splat.conic_yy = static_cast<float>(-(s * s * p + c * c * q));
  splat.log2_opacity = -0.1F;
  splat.depth = 3;
  return splat;
}

TEST(CompressedSplat, ComesBackWithinTheErrorsOfItsCodes) {
  core::ThreadPool pool(1);
  test::RandomCloud spec;
  spec.seed = 12;
  spec.count = 3000;
  spec.min_pixels = 0.02;
  const core::PosedCamera camera = test::pinhole_camera(640, 480, test::random_pose(12));
  const core::GaussianCloud cloud = test::random_cloud(spec, camera);
  CpuProjection projection(pool, chosen_cpu_kernels());
  projection.forward(cloud, camera, {});
  const core::PixelWindow window = {0, 0, 640, 480};
  const CenterGrid grid(window);
  EXPECT_NEAR(grid.step().x, 1.25 * 640 / 65536, 1e-6);
  EXPECT_NEAR(grid.step().y, 1.25 * 480 / 65536, 1e-6);
  ASSERT_GT(projection.visible().size, 1000);
  for (const uint32_t i : projection.visible()) {
    const CpuSplat& sent = projection.splats()[i];
    const CompressedSplat message = compressed(sent, grid);
    const CpuSplat got = splat_of(message);
    if (grid.holds(sent)) {
      const math::Vec2<float> center = grid.decode(message.center);
      EXPECT_NEAR(center.x, sent.mean_x, 0.51 * grid.step().x);
      EXPECT_NEAR(center.y, sent.mean_y, 0.51 * grid.step().y);
    }
    EXPECT_EQ(got.depth, sent.depth);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(got.color[c], sent.color[c], kHalfUlp * sent.color[c] + 1e-7);
    }
    EXPECT_NEAR(got.log2_opacity, sent.log2_opacity, 1.5 * kHalfUlp);
    // Entries of the conic follow from two or three halves, in one direction as in all others
    // within what the errors of the factor make of the axes' ratio.
    const double trace = -double{sent.conic_xx} - double{sent.conic_yy};
    const double ratio = trace / std::sqrt(std::max(determinant(sent), 1e-30));
    const double tolerance = 4 * kHalfUlp * ratio * trace;
    EXPECT_NEAR(got.conic_xx, sent.conic_xx, tolerance);
    EXPECT_NEAR(got.conic_xy, sent.conic_xy, 2 * tolerance);
    EXPECT_NEAR(got.conic_yy, sent.conic_yy, tolerance);
    EXPECT_NEAR(got.half_width, sent.half_width, 0.003 * sent.half_width + 0.1);
    EXPECT_NEAR(got.half_height, sent.half_height, 0.003 * sent.half_height + 0.1);
  }
}

TEST(CompressedSplat, NeedlesStayPositiveDefinite) {
  const CenterGrid grid({0, 0, 640, 480});
  for (double along = 1; along < 3e6; along *= 3) {
    for (int turn = 0; turn < 180; ++turn) {
      const CpuSplat sent = ellipse(along, 0.55, turn * std::numbers::pi / 180);
      const CpuSplat got = splat_of(compressed(sent, grid));
      EXPECT_LT(got.conic_xx, 0);
      EXPECT_LT(got.conic_yy, 0);
      EXPECT_GT(determinant(got), 0) << along << " at " << turn;
      EXPECT_TRUE(std::isfinite(got.half_width) && std::isfinite(got.half_height));
      EXPECT_GT(got.half_width, 0);
      EXPECT_GT(got.half_height, 0);
      if (along > 1000) continue;  // beyond, a float conic itself no longer knows the length
      const double area = determinant(sent) / determinant(got);
      EXPECT_NEAR(area, 1, 5 * kHalfUlp + 1e-6 * along * along) << along << " at " << turn;
    }
  }
}

TEST(CompressedSplat, ASplatThatIsNoEllipseBecomesOne) {
  CpuSplat splat = ellipse(1, 1, 0);
  splat.conic_xy = -2.01F * std::sqrt(splat.conic_xx * splat.conic_yy);  // indefinite
  EXPECT_GT(determinant(splat_of(compressed(splat, CenterGrid({0, 0, 16, 16})))), 0);
  splat.conic_xx = splat.conic_xy = splat.conic_yy = 0;  // as wide as floats can tell
  const CpuSplat got = splat_of(compressed(splat, CenterGrid({0, 0, 16, 16})));
  EXPECT_GT(determinant(got), 0);
  EXPECT_TRUE(std::isfinite(got.half_width) && std::isfinite(got.half_height));
}

TEST(CompressedSplat, CentersBeyondTheMarginAreToldApart) {
  const core::PixelWindow window = {32, 16, 64, 48};
  const CenterGrid grid(window);
  CpuSplat splat = ellipse(2, 1, 0.3);
  const auto holds = [&](float x, float y) {
    splat.mean_x = x;
    splat.mean_y = y;
    const bool held = compressed(splat, grid).center[0] != CenterGrid::kOutside;
    EXPECT_EQ(held, grid.holds(splat));
    return held;
  };
  EXPECT_TRUE(holds(32, 16));
  EXPECT_TRUE(holds(96, 64));
  EXPECT_TRUE(holds(24.01F, 10.01F));
  EXPECT_TRUE(holds(103.9F, 69.9F));
  EXPECT_FALSE(holds(23.9F, 40));
  EXPECT_FALSE(holds(104.1F, 40));
  EXPECT_FALSE(holds(60, 9.9F));
  EXPECT_FALSE(holds(60, 70.1F));
  EXPECT_FALSE(holds(NAN, 40));
  EXPECT_FALSE(holds(60, INFINITY));
}

}  // namespace
}  // namespace tessera::render
