// What the contract tests of multiplane renderers share: every renderer beside the reference,
// random gradients, and how near pictures are.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/multiplane_scenes.h"

namespace tessera::render {

inline const MultiplaneOptions kOptions = {{0.2F, 0.9F, 0.4F}, true, {}};

inline core::ImageF random_picture(int width, int height, int channels, test::Random& random) {
  core::ImageF picture(width, height, channels);
  for (float& v : picture.data) v = static_cast<float>(random.uniform(-1, 1));
  return picture;
}

inline MultiplaneOutputGradient random_gradient(const core::Camera& c, bool color_alone) {
  test::Random random(7);
  MultiplaneOutputGradient d;
  d.color = random_picture(c.width, c.height, 3, random);
  if (color_alone) return d;
  d.alpha = random_picture(c.width, c.height, 1, random);
  d.disparity = random_picture(c.width, c.height, 1, random);
  return d;
}

inline double loss(const MultiplaneOutput& output, const MultiplaneOutputGradient& d) {
  double sum = 0;
  const auto add = [&](const core::ImageF& value, const core::ImageF& weight) {
    for (int64_t i = 0; i < weight.data.size(); ++i) {
      sum += static_cast<double>(value.data[i]) * weight.data[i];
    }
  };
  add(output.color, d.color);
  add(output.alpha, d.alpha);
  add(output.disparity, d.disparity);
  return sum;
}

inline double largest(const core::ImageF& image) {
  double most = 0;
  for (const float v : image.data) most = std::max(most, std::fabs(static_cast<double>(v)));
  return most;
}

inline void expect_pictures(const core::ImageF& got, const core::ImageF& want, double allowed) {
  ASSERT_EQ(got.width, want.width);
  ASSERT_EQ(got.height, want.height);
  ASSERT_EQ(got.channels, want.channels);
  for (int64_t i = 0; i < got.data.size(); ++i) {
    ASSERT_NEAR(got.data[i], want.data[i], allowed) << "at " << i;
  }
}

class MultiplaneRendererTest : public testing::TestWithParam<test::MultiplaneVariant> {
 protected:
  core::ThreadPool pool_{2};
  std::unique_ptr<MultiplaneRenderer> renderer_ = GetParam().make(pool_);
  std::unique_ptr<MultiplaneRenderer> reference_ = make_multiplane_renderer("reference", pool_);

  MultiplaneGradient gradient_of(const test::MultiplaneScene& scene,
                                 const MultiplaneOutputGradient& d) {
    MultiplaneOutput output;
    renderer_->forward(scene.image, scene.target, kOptions, output);
    MultiplaneGradient gradient = zero_gradient(scene.image);
    renderer_->backward(scene.image, d, gradient);
    return gradient;
  }
};

}  // namespace tessera::render
