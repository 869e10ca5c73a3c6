// Every multiplane renderer against the definition in double, which is itself held to differences;
// what all refuse; and that threads leave no trace.
// SPDX-License-Identifier: MIT
#include "render/multiplane/multiplane_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "core/error.h"
#include "tests/support/multiplane_scenes.h"
#include "tests/support/tolerance.h"

namespace tessera::render {
namespace {

using test::MultiplaneScene;

const MultiplaneOptions kOptions = {{0.2F, 0.9F, 0.4F}, true, {}};

core::ImageF random_picture(int width, int height, int channels, test::Random& random) {
  core::ImageF picture(width, height, channels);
  for (float& v : picture.data) v = static_cast<float>(random.uniform(-1, 1));
  return picture;
}

MultiplaneOutputGradient random_gradient(const core::Camera& c, bool color_alone) {
  test::Random random(7);
  MultiplaneOutputGradient d;
  d.color = random_picture(c.width, c.height, 3, random);
  if (color_alone) return d;
  d.alpha = random_picture(c.width, c.height, 1, random);
  d.disparity = random_picture(c.width, c.height, 1, random);
  return d;
}

double loss(const MultiplaneOutput& output, const MultiplaneOutputGradient& d) {
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

double largest(const core::ImageF& image) {
  double most = 0;
  for (const float v : image.data) most = std::max(most, std::fabs(static_cast<double>(v)));
  return most;
}

void expect_pictures(const core::ImageF& got, const core::ImageF& want, double allowed) {
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

  MultiplaneGradient gradient_of(const MultiplaneScene& scene, const MultiplaneOutputGradient& d) {
    MultiplaneOutput output;
    renderer_->forward(scene.image, scene.target, kOptions, output);
    MultiplaneGradient gradient = zero_gradient(scene.image);
    renderer_->backward(scene.image, d, gradient);
    return gradient;
  }
};

TEST_P(MultiplaneRendererTest, PicturesOfFloatsAgreeWithTheReference) {
  for (const MultiplaneScene& scene : test::multiplane_scenes()) {
    SCOPED_TRACE(scene.name);
    MultiplaneOutput got, want;
    renderer_->forward(scene.image, scene.target, kOptions, got);
    reference_->forward(scene.image, scene.target, kOptions, want);
    expect_pictures(got.color, want.color, test::kMultiplanePicture);
    expect_pictures(got.alpha, want.alpha, test::kMultiplanePicture);
    expect_pictures(got.disparity, want.disparity, test::kMultiplanePicture);
  }
}

// Where a pixel's layers leave less than 1/512, those behind it may be left out.
TEST_P(MultiplaneRendererTest, PicturesOfBytesAgreeWithTheReference) {
  int64_t transparent = 0;
  for (const MultiplaneScene& scene : test::multiplane_scenes()) {
    SCOPED_TRACE(scene.name);
    const core::MultiplaneImage image = test::in_bytes(scene.image);
    MultiplaneOutput got, want;
    renderer_->forward(image, scene.target, kOptions, got);
    reference_->forward(image, scene.target, kOptions, want);
    ASSERT_EQ(got.color.data.size(), want.color.data.size());
    ASSERT_EQ(got.alpha.data.size(), want.alpha.data.size());
    ASSERT_EQ(got.disparity.data.size(), want.disparity.data.size());
    for (int64_t i = 0; i < got.alpha.data.size(); ++i) {
      const bool all_layers = want.alpha.data[i] < 1 - 1.0 / 512 - test::kMultiplanePicture;
      const double allowed = test::kMultiplanePicture + (all_layers ? 0 : 1.0 / 512);
      transparent += all_layers ? 1 : 0;
      ASSERT_NEAR(got.alpha.data[i], want.alpha.data[i], allowed) << "pixel " << i;
      for (int64_t c = 3 * i; c < 3 * i + 3; ++c) {
        ASSERT_NEAR(got.color.data[c], want.color.data[c], allowed) << "pixel " << i;
      }
      ASSERT_NEAR(got.disparity.data[i], want.disparity.data[i], allowed) << "pixel " << i;
    }
  }
  EXPECT_GT(transparent, 5000);
}

TEST_P(MultiplaneRendererTest, BytesAndTheSameFloatsGiveTheSamePicture) {
  const MultiplaneScene scene = test::smooth_multiplane_scenes()[1];
  const core::MultiplaneImage bytes = test::in_bytes(scene.image);
  MultiplaneOutput of_bytes, of_floats;
  renderer_->forward(bytes, scene.target, {}, of_bytes);
  renderer_->forward(test::in_floats(bytes), scene.target, {}, of_floats);
  EXPECT_TRUE(of_bytes.disparity.empty());
  expect_pictures(of_bytes.color, of_floats.color, 1.0 / 512);
}

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

TEST_P(MultiplaneRendererTest, ThreadsAndRunsLeaveNoTrace) {
  for (const MultiplaneScene& scene : test::jumping_multiplane_scenes()) {
    SCOPED_TRACE(scene.name);
    const MultiplaneOutputGradient d = random_gradient(scene.target.camera, false);
    const core::MultiplaneImage bytes = test::in_bytes(scene.image);
    MultiplaneOutput first, first_of_bytes;
    MultiplaneGradient first_gradient;
    for (const int threads : {1, 2, 5, 2}) {
      core::ThreadPool pool(threads);
      const auto renderer = GetParam().make(pool);
      MultiplaneOutput output, of_bytes;
      renderer->forward(bytes, scene.target, kOptions, of_bytes);
      renderer->forward(scene.image, scene.target, kOptions, output);
      MultiplaneGradient gradient = zero_gradient(scene.image);
      renderer->backward(scene.image, d, gradient);
      if (first.color.empty()) {
        first = output;
        first_of_bytes = of_bytes;
        first_gradient = gradient;
      }
      EXPECT_EQ(output.color, first.color);
      EXPECT_EQ(output.alpha, first.alpha);
      EXPECT_EQ(output.disparity, first.disparity);
      EXPECT_EQ(of_bytes.color, first_of_bytes.color);
      EXPECT_EQ(gradient.pages, first_gradient.pages);
      for (size_t i = 0; i < gradient.planes.size(); ++i) {
        EXPECT_EQ(gradient.planes[i].x, first_gradient.planes[i].x);
        EXPECT_EQ(gradient.planes[i].y, first_gradient.planes[i].y);
        EXPECT_EQ(gradient.planes[i].z, first_gradient.planes[i].z);
      }
    }
  }
}

// Windows are drawn, and give gradients, as in the whole picture; gradients of the whole in parts
// add up.
TEST_P(MultiplaneRendererTest, WindowsHaveTheBitsOfTheWhole) {
  for (const MultiplaneScene& scene : test::multiplane_scenes()) {
    SCOPED_TRACE(scene.name);
    const core::Camera& camera = scene.target.camera;
    MultiplaneOutput whole, part;
    renderer_->forward(scene.image, scene.target, kOptions, whole);
    const MultiplaneOutputGradient d = random_gradient(camera, false);
    MultiplaneGradient want = zero_gradient(scene.image);
    renderer_->backward(scene.image, d, want);
    MultiplaneGradient got = zero_gradient(scene.image);
    const core::PixelWindow all = {0, 0, camera.width, camera.height};
    for (const core::PixelWindow& cut :
         {core::PixelWindow{0, 0, 16, camera.height}, core::PixelWindow{16, 0, camera.width, 16},
          core::PixelWindow{16, 16, camera.width, camera.height}}) {
      const core::PixelWindow window = core::intersection(cut, all);
      if (window.empty()) continue;
      MultiplaneOptions options = kOptions;
      options.window = window;
      renderer_->forward(scene.image, scene.target, options, part);
      core::ImageF color, disparity;
      core::crop(whole.color, window, color);
      core::crop(whole.disparity, window, disparity);
      EXPECT_EQ(part.color, color);
      EXPECT_EQ(part.disparity, disparity);
      // A part of what was drawn, from its corner to its end.
      for (const int top : {window.top, window.top + 16}) {
        if (top >= window.bottom()) continue;
        const bool first = top == window.top;
        MultiplaneOutputGradient of_part;
        of_part.window = {window.left, top, window.width,
                          first ? std::min(16, window.height) : window.bottom() - top};
        core::crop(d.color, of_part.window, of_part.color);
        core::crop(d.alpha, of_part.window, of_part.alpha);
        core::crop(d.disparity, of_part.window, of_part.disparity);
        renderer_->backward(scene.image, of_part, got);
      }
    }
    for (size_t p = 0; p < want.pages.size(); ++p) {
      const double most = std::max(1.0, largest(want.pages[p]));
      expect_pictures(got.pages[p], want.pages[p], 1e-5 * most);
    }
  }
}

template <class F>
void expect_error(const F& f, const char* part) {
  try {
    f();
    ADD_FAILURE() << "nothing was refused: " << part;
  } catch (const core::Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr(part));
  }
}

TEST_P(MultiplaneRendererTest, RefusesWhatCannotBeDrawn) {
  const MultiplaneScene good = test::smooth_multiplane_scenes()[0];
  MultiplaneOutput output;
  const auto refuses = [&](const auto& spoil, const char* part) {
    MultiplaneScene scene = good;
    spoil(scene);
    expect_error([&] { renderer_->forward(scene.image, scene.target, {}, output); }, part);
  };
  const auto bend = [](core::Camera& c) {
    c.model = core::CameraModel::kSimpleRadial;
    c.distortion[0] = 0.1;
  };
  refuses([](auto& s) { s.target.camera.width = 0; }, "target camera's picture has 0x45");
  refuses([](auto& s) { s.target.camera.fx = 0; }, "focal length");
  refuses([&](auto& s) { bend(s.target.camera); }, "target camera has lens distortion");
  refuses([&](auto& s) { bend(s.image.camera.camera); }, "reference camera has lens distortion");
  refuses([](auto& s) { s.image.layers[1].plane.y = NAN; }, "plane of layer 1 is not finite");
  refuses([](auto& s) { s.image.layers[1].page = 6; }, "does not lie on page 6");
  refuses([](auto& s) { s.image.layers[1].page = -1; }, "does not lie on page -1");
  refuses([](auto& s) { s.image.layers[1].x = 6; }, "layer 1 (70x45 texels at 6, 1)");
  refuses([](auto& s) { s.image.layers[1].y = -1; }, "does not lie on page 1");
  refuses([](auto& s) { s.image.pages[2] = core::ImageF(90, 90, 3); }, "page 2 has 3 channels");
  for (const core::PixelWindow& window :
       {core::PixelWindow{8, 0, 16, 16}, core::PixelWindow{0, 0, 20, 16},
        core::PixelWindow{0, 0, 160, 16}, core::PixelWindow{16, 16, 0, 16}}) {
    MultiplaneOptions options;
    options.window = window;
    expect_error([&] { renderer_->forward(good.image, good.target, options, output); },
                 "is not made of tiles of 16 pixels");
  }

  MultiplaneGradient gradient = zero_gradient(good.image);
  const MultiplaneOutputGradient d = random_gradient(good.target.camera, true);
  const auto backward = [&] { renderer_->backward(good.image, d, gradient); };
  expect_error(backward, "without the forward pass");
  renderer_->forward(good.image, good.target, {}, output);
  gradient.planes.pop_back();
  expect_error(backward, "as many pages and planes");
  gradient = zero_gradient(good.image);
  gradient.pages[1] = core::ImageF(1, 1, 4);
  expect_error(backward, "gradient of page 1");
  expect_error([&] { renderer_->backward(good.image, {}, gradient); }, "gradient of color");
  renderer_->forward(test::in_bytes(good.image), good.target, {}, output);
  expect_error(backward, "without the forward pass");
  expect_error([&] { make_multiplane_renderer("gpu", pool_); }, "'gpu' is not one of");
}

INSTANTIATE_TEST_SUITE_P(Backends, MultiplaneRendererTest,
                         testing::ValuesIn(test::multiplane_variants()),
                         [](const auto& variant) { return variant.param.name(); });

}  // namespace
}  // namespace tessera::render
