// Pictures of every multiplane renderer against the definition in double; what all refuse; and that
// threads leave no trace.
// SPDX-License-Identifier: MIT
#include "render/multiplane/multiplane_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "core/error.h"
#include "tests/contract/multiplane_renderer_fixture.h"
#include "tests/support/tolerance.h"

namespace tessera::render {
namespace {

using test::MultiplaneScene;

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
