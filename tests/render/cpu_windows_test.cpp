// A picture drawn in windows, from splats that crossed to another rank, is the picture drawn whole.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_projection.h"
#include "render/gaussian/splat_message.h"
#include "tests/support/random_scene.h"

namespace tessera::render {
namespace {

class CpuWindows : public testing::Test {
 protected:
  CpuWindows() {
    test::RandomCloud spec;
    spec.seed = 4;
    spec.count = 600;
    camera = test::pinhole_camera(90, 70, test::random_pose(4));
    cloud = test::random_cloud(spec, camera);
    // Clones: splats of equal bits, whose order the ids decide.
    for (int i = 0; i < 40; ++i) {
      for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
        cloud.plane(p)[300 + i] = cloud.plane(p)[i];
      }
      cloud.ids[300 + i] = 0x8000000000001000U + 77 * static_cast<uint64_t>(i);
    }
    options.background = {0.1F, 0.6F, 0.3F};
    projection.forward(cloud, camera, options);
  }

  // The splats that reach a window, in another order and as messages.
  void receive(const core::PixelWindow& window) {
    splats.clear();
    ids.clear();
    gaussian.clear();
    const core::View<const uint32_t> visible = projection.visible();
    for (int64_t k = visible.size - 1; k >= 0; --k) {
      const uint32_t i = visible[k];
      if (!reaches(projection.splats()[i], window)) continue;
      const SplatMessage message = message_of(projection.splats()[i], cloud.ids[i]);
      splats.push_back(splat_of(message));
      ids.push_back(message.tie_key);
      gaussian.push_back(i);
    }
    which.resize(splats.size());
    std::iota(which.begin(), which.end(), 0U);
  }
  CpuSplatList received() const { return {splats.data(), ids.data(), which.view()}; }

  core::ThreadPool pool{2};
  core::GaussianCloud cloud;
  core::PosedCamera camera;
  RasterizeOptions options;
  CpuProjection projection{pool, chosen_cpu_kernels()};
  core::Array<CpuSplat> splats;
  core::Array<uint64_t> ids;
  core::Array<uint32_t> which, gaussian;
};

const core::PixelWindow kWindows[] = {
    {0, 0, 48, 32}, {48, 0, 42, 32}, {0, 32, 16, 38}, {16, 32, 74, 16}, {16, 48, 74, 22}};

TEST_F(CpuWindows, HaveTheSameBitsAsTheWhole) {
  CpuBlending whole(pool, chosen_cpu_kernels());
  RenderOutput picture;
  whole.forward({projection.splats(), cloud.ids.data(), projection.visible()}, {0, 0, 90, 70},
                options, picture);
  for (const core::PixelWindow& window : kWindows) {
    receive(window);
    CpuBlending part(pool, chosen_cpu_kernels());
    RenderOutput drawn;
    part.forward(received(), window, options, drawn);
    core::ImageF expected;
    core::crop(picture.color, window, expected);
    EXPECT_TRUE(drawn.color == expected);
    core::crop(picture.alpha, window, expected);
    EXPECT_TRUE(drawn.alpha == expected);
  }
}

TEST_F(CpuWindows, GradientsOfWindowsAddUpToThoseOfTheWhole) {
  RenderOutputGradient d;
  d.color = core::ImageF(90, 70, 3);
  test::Random random(8);
  for (float& value : d.color.data) value = static_cast<float>(random.uniform(-1, 1));
  CpuBlending whole(pool, chosen_cpu_kernels());
  RenderOutput picture;
  whole.forward({projection.splats(), cloud.ids.data(), projection.visible()}, {0, 0, 90, 70},
                options, picture);
  std::vector<CpuSplatGradient> expected(cloud.size()), sums(cloud.size());
  const math::Vec3<double> background = whole.backward(d, true, expected.data());
  const SplatGradientFormat format(false, true);
  EXPECT_EQ(format.floats(), 11);
  EXPECT_EQ(SplatGradientFormat(false, false).floats() * sizeof(float), 36U);
  math::Vec3<double> background_sum = {0, 0, 0};
  for (const core::PixelWindow& window : kWindows) {
    receive(window);
    CpuBlending part(pool, chosen_cpu_kernels());
    RenderOutput drawn;
    part.forward(received(), window, options, drawn);
    RenderOutputGradient of_window;
    core::crop(d.color, window, of_window.color);
    std::vector<CpuSplatGradient> got(splats.size());
    background_sum = background_sum + part.backward(of_window, true, got.data());
    for (size_t k = 0; k < got.size(); ++k) {
      float message[12];
      format.pack(got[k], message);
      format.add(message, sums[gaussian[k]]);
    }
  }
  for (const uint32_t i : projection.visible()) {
    const float* a = expected[i].color;
    const float* b = sums[i].color;
    for (int k = 0; k < 12; ++k) {
      if (k == 3) continue;  // of depth, which was not asked for
      // Sums of many terms of both signs in another order.
      EXPECT_NEAR(a[k], b[k], 2e-4 * (1 + std::fabs(a[k]))) << i << ", " << k;
    }
  }
  EXPECT_NEAR(background.x, background_sum.x, 1e-4);
  EXPECT_NEAR(background.z, background_sum.z, 1e-4);
}

TEST_F(CpuWindows, ASplatIsSentWhereverItTouchesATile) {
  // By brute force: every tile of the picture as a window of its own.
  CpuBlending blending(pool, chosen_cpu_kernels());
  RenderOutput output;
  for (int top = 0; top < 70; top += 16) {
    for (int left = 0; left < 90; left += 16) {
      const core::PixelWindow tile = core::intersection({left, top, 16, 16}, {0, 0, 90, 70});
      blending.forward({projection.splats(), cloud.ids.data(), projection.visible()}, tile, options,
                       output);
      const int64_t pairs = blending.counts().tile_pairs;
      receive(tile);
      blending.forward(received(), tile, options, output);
      EXPECT_EQ(blending.counts().tile_pairs, pairs) << left << ", " << top;
      EXPECT_LT(splats.size(), projection.visible().size);
    }
  }
}

TEST(SplatMessage, BoundingBoxIsNoSmallerThanItWas) {
  core::ThreadPool pool(1);
  test::RandomCloud spec;
  spec.seed = 12;
  spec.count = 3000;
  spec.min_pixels = 0.02;  // needles among them
  const core::PosedCamera camera = test::pinhole_camera(640, 480, test::random_pose(12));
  const core::GaussianCloud cloud = test::random_cloud(spec, camera);
  CpuProjection projection(pool, chosen_cpu_kernels());
  projection.forward(cloud, camera, {});
  ASSERT_GT(projection.visible().size, 1000);
  for (const uint32_t i : projection.visible()) {
    const CpuSplat& sent = projection.splats()[i];
    const CpuSplat got = splat_of(message_of(sent, 7));
    EXPECT_GE(got.half_width * 1.0001F + 0.01F, sent.half_width);
    EXPECT_GE(got.half_height * 1.0001F + 0.01F, sent.half_height);
    EXPECT_LT(got.half_width, 1.1F * sent.half_width + 0.1F);
    EXPECT_LT(got.half_height, 1.1F * sent.half_height + 0.1F);
  }
}

}  // namespace
}  // namespace tessera::render
