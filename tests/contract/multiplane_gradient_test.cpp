// Gradients of every multiplane renderer against those of the reference, which are themselves held
// to differences.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/contract/multiplane_renderer_fixture.h"
#include "tests/support/tolerance.h"

namespace tessera::render {
namespace {

using test::MultiplaneScene;

TEST_P(MultiplaneRendererTest, GradientsAgreeWithTheReference) {
  for (const MultiplaneScene& scene : test::multiplane_scenes()) {
    for (const bool color_alone : {true, false}) {
      SCOPED_TRACE(scene.name + (color_alone ? ", of color" : ", of all"));
      const MultiplaneOutputGradient d = random_gradient(scene.target.camera, color_alone);
      MultiplaneOutput output;
      MultiplaneGradient got = zero_gradient(scene.image), want = zero_gradient(scene.image);
      renderer_->forward(scene.image, scene.target, kOptions, output);
      renderer_->backward(scene.image, d, got);
      reference_->forward(scene.image, scene.target, kOptions, output);
      reference_->backward(scene.image, d, want);
      for (size_t p = 0; p < want.pages.size(); ++p) {
        expect_pictures(got.pages[p], want.pages[p],
                        test::kMultiplaneTexelOfLargest * largest(want.pages[p]));
      }
      double most = 0;
      for (const auto& n : want.planes) {
        most = std::max(
            {most, std::fabs(double{n.x}), std::fabs(double{n.y}), std::fabs(double{n.z})});
      }
      for (size_t i = 0; i < want.planes.size(); ++i) {
        const double allowed = test::kMultiplanePlaneOfLargest * most;
        EXPECT_NEAR(got.planes[i].x, want.planes[i].x, allowed) << "layer " << i;
        EXPECT_NEAR(got.planes[i].y, want.planes[i].y, allowed) << "layer " << i;
        EXPECT_NEAR(got.planes[i].z, want.planes[i].z, allowed) << "layer " << i;
      }
    }
  }
}

// By differences, along random directions of all texels at once.
TEST_P(MultiplaneRendererTest, GradientsOfTexelsAreThoseByDifferences) {
  for (const MultiplaneScene& scene : test::multiplane_scenes()) {
    SCOPED_TRACE(scene.name);
    const MultiplaneOutputGradient d = random_gradient(scene.target.camera, false);
    const MultiplaneGradient gradient = gradient_of(scene, d);
    MultiplaneOutput output;
    test::Random random(11);
    constexpr float kStep = 1.0F / 512;
    core::MultiplaneImageF less = scene.image, more = scene.image;
    double expected = 0, size = 0;
    for (size_t p = 0; p < less.pages.size(); ++p) {
      for (int64_t i = 0; i < less.pages[p].data.size(); ++i) {
        const float step = random.uniform(-1, 1) > 0 ? kStep : -kStep;
        less.pages[p].data[i] -= step;
        more.pages[p].data[i] += step;
        const double term = static_cast<double>(gradient.pages[p].data[i]) * 2 * step;
        expected += term;
        size += term * term;
      }
    }
    renderer_->forward(less, scene.target, kOptions, output);
    const double loss_less = loss(output, d);
    renderer_->forward(more, scene.target, kOptions, output);
    EXPECT_NEAR(loss(output, d) - loss_less, expected, 2e-4 * std::sqrt(size) + 1e-9);
  }
}

TEST_P(MultiplaneRendererTest, GradientsOfPlanesAreThoseByDifferences) {
  for (const MultiplaneScene& scene : test::smooth_multiplane_scenes()) {
    SCOPED_TRACE(scene.name);
    const MultiplaneOutputGradient d = random_gradient(scene.target.camera, false);
    const MultiplaneGradient gradient = gradient_of(scene, d);
    MultiplaneOutput output;
    double most = 0;
    for (const auto& n : gradient.planes) most = std::max(most, std::fabs(double{n.z}));
    for (size_t i = 0; i < scene.image.layers.size(); ++i) {
      const float* got[] = {&gradient.planes[i].x, &gradient.planes[i].y, &gradient.planes[i].z};
      for (int k = 0; k < 3; ++k) {
        core::MultiplaneImageF less = scene.image, more = scene.image;
        constexpr float kStep = 1.0F / 8192;
        const auto component = [k](math::Vec3<float>& n) -> float& {
          return k == 0 ? n.x : k == 1 ? n.y : n.z;
        };
        component(less.layers[i].plane) -= kStep;
        component(more.layers[i].plane) += kStep;
        const double step =
            static_cast<double>(component(more.layers[i].plane)) - component(less.layers[i].plane);
        renderer_->forward(less, scene.target, kOptions, output);
        const double loss_less = loss(output, d);
        renderer_->forward(more, scene.target, kOptions, output);
        // Texels meet in kinks, which a step crosses at a few pixels.
        EXPECT_NEAR((loss(output, d) - loss_less) / step, *got[k], 0.02 * most + 1e-6)
            << "layer " << i << ", component " << k;
      }
    }
  }
}

// A white layer before black, seen from the right: its right border moves left as it comes nearer.
// Were the border's texels stretched outwards, nothing would say so, or the layer's own texels
// would say the opposite.
TEST_P(MultiplaneRendererTest, BordersPullLayersTheRightWay) {
  core::MultiplaneImageF image;
  image.camera = test::pinhole_camera(40, 30);
  test::add_layer(image, {0, 0, 0.5F}, {10, 8, 15, 12}, 1, 1);
  // Darker towards the right border.
  for (int y = 0; y < 12; ++y) {
    for (int x = 0; x < 15; ++x) {
      for (int c = 0; c < 3; ++c) {
        image.pages[0].at(3 + x, 1 + y, c) = 1 - 0.02F * static_cast<float>(x);
      }
    }
  }
  core::PosedCamera target = test::target_beside(image.camera, 40, 30, {0.047, 0, 0}, {0, 0, 0});
  MultiplaneOutput output;
  renderer_->forward(image, target, {}, output);
  MultiplaneOutputGradient d;
  d.color = core::ImageF(40, 30, 3);
  d.color.data.fill(0);
  // The last column that shows some of it.
  int column = 0;
  for (int x = 0; x < 40; ++x) {
    if (output.color.at(x, 14) > 0) column = x;
  }
  ASSERT_LT(output.color.at(column, 14), 0.7);
  ASSERT_GT(output.color.at(column, 14), 0.05);
  for (int y = 10; y < 18; ++y) d.color.at(column, y) = 1;
  MultiplaneGradient gradient = zero_gradient(image);
  renderer_->backward(image, d, gradient);
  const float by_mathematics = gradient.planes[0].z;
  EXPECT_LT(by_mathematics, -10);
  const double before = loss(output, d);
  image.layers[0].plane.z += 1.0F / 1024;
  renderer_->forward(image, target, {}, output);
  EXPECT_NEAR((loss(output, d) - before) * 1024, by_mathematics, 0.01 * std::fabs(by_mathematics));
}

TEST_P(MultiplaneRendererTest, AddsToGradients) {
  const MultiplaneScene scene = test::jumping_multiplane_scenes()[0];
  const MultiplaneOutputGradient d = random_gradient(scene.target.camera, true);
  MultiplaneOutput output;
  MultiplaneGradient once = zero_gradient(scene.image), more = zero_gradient(scene.image);
  for (core::ImageF& page : more.pages) page.data.fill(0.5F);
  for (math::Vec3<float>& n : more.planes) n = {0.5F, 0.5F, 0.5F};
  renderer_->forward(scene.image, scene.target, {}, output);
  renderer_->backward(scene.image, d, once);
  renderer_->backward(scene.image, d, more);
  for (size_t p = 0; p < once.pages.size(); ++p) {
    for (float& v : once.pages[p].data) v += 0.5F;
    expect_pictures(more.pages[p], once.pages[p], 1e-6 * (1 + largest(once.pages[p])));
  }
  for (size_t i = 0; i < once.planes.size(); ++i) {
    EXPECT_TRUE(test::near(more.planes[i].z, once.planes[i].z + 0.5, test::kFloatMean));
  }
}

}  // namespace
}  // namespace tessera::render
