// LibTorch's gradients through the rasterizer are the rasterizer's own.
// SPDX-License-Identifier: MIT
#include "render/gaussian/torch_ops.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "core/error.h"
#include "core/math/rng.h"

namespace tessera::render {
namespace {

constexpr int kWidth = 40;
constexpr int kHeight = 28;
constexpr int kCount = 30;
constexpr int kShDegree = 1;

// Uniform in [low, high), keyed by what it is for and where it stands.
float random_value(uint32_t purpose, int64_t i, float low, float high) {
  const math::Random4 bits = math::random_bits(7, math::RandomStream::kInit, purpose, i);
  return low + (high - low) * math::uniform_from_bits(bits.v[0]);
}

core::PosedCamera test_camera() {
  core::PosedCamera posed;
  posed.camera.width = kWidth;
  posed.camera.height = kHeight;
  posed.camera.fx = posed.camera.fy = 40;
  posed.camera.cx = 19;
  posed.camera.cy = 15;
  posed.cam_from_world.translation = {0, 0, 3};
  return posed;
}

core::GaussianCloud test_cloud() {
  core::GaussianCloud cloud(kShDegree, kCount);
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    const bool scale = p >= core::kLogScalePlane && p < core::kQuaternionPlane;
    for (int64_t i = 0; i < kCount; ++i) {
      cloud.plane(p)[i] = scale ? random_value(p, i, -2.5F, -1.2F) : random_value(p, i, -1, 1);
    }
  }
  return cloud;
}

at::Tensor tensor_of(const core::GaussianCloud& cloud) {
  at::Tensor tensor = at::zeros({cloud.parameters.plane_count(), cloud.size()}, at::kFloat);
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    std::copy_n(cloud.plane(p), cloud.size(), tensor.mutable_data_ptr<float>() + p * cloud.size());
  }
  return tensor;
}

core::ImageF random_image(uint32_t purpose, int channels) {
  core::ImageF image(kWidth, kHeight, channels);
  for (int64_t i = 0; i < image.data.size(); ++i) image.data[i] = random_value(purpose, i, -1, 1);
  return image;
}

at::Tensor weights_of(core::ImageF& image) {
  if (image.channels == 1) return at::from_blob(image.data.data(), {kHeight, kWidth});
  return at::from_blob(image.data.data(), {kHeight, kWidth, image.channels});
}

class TorchOps : public testing::Test {
 protected:
  core::ThreadPool pool_{2};
  core::GaussianCloud cloud_ = test_cloud();
  RasterizeOptions options_{.sh_degree = kShDegree, .depth = true};
  at::Tensor background_ = at::zeros({3}, at::kFloat);
};

TEST_F(TorchOps, GradientsAreTheRasterizersOwn) {
  RenderOutputGradient output_gradient{random_image(100, 3), random_image(101, 1),
                                       random_image(102, 1)};
  const auto rasterizer = make_rasterizer("cpu", pool_);
  RenderOutput output;
  rasterizer->forward(cloud_, test_camera(), options_, output);
  RasterizeGradient expected;
  expected.parameters.reset(cloud_.parameters.plane_count(), kCount);
  rasterizer->backward(cloud_, output_gradient, expected);

  const at::Tensor parameters = tensor_of(cloud_).requires_grad_();
  background_.requires_grad_();
  const TorchRender render =
      rasterize("cpu", pool_, parameters, background_, test_camera(), options_);
  const at::Tensor loss = (render.color * weights_of(output_gradient.color)).sum() +
                          (render.alpha * weights_of(output_gradient.alpha)).sum() +
                          (render.depth * weights_of(output_gradient.depth)).sum();
  loss.backward();

  EXPECT_TRUE(std::equal(output.color.data.begin(), output.color.data.end(),
                         render.color.const_data_ptr<float>()));
  const at::Tensor gradient = parameters.grad();
  int64_t nonzero = 0;
  for (int p = 0; p < cloud_.parameters.plane_count(); ++p) {
    const float* got = gradient.const_data_ptr<float>() + int64_t{p} * kCount;
    for (int64_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(got[i], expected.parameters.plane(p)[i]) << "plane " << p << ", Gaussian " << i;
      nonzero += got[i] != 0.0F ? 1 : 0;
    }
  }
  EXPECT_GT(nonzero, kCount * 5);
  const float* to_background = background_.grad().const_data_ptr<float>();
  EXPECT_EQ(to_background[0], static_cast<float>(expected.background.x));
  EXPECT_EQ(to_background[2], static_cast<float>(expected.background.z));
}

TEST_F(TorchOps, OneGraphHoldsManyViews) {
  const auto gradient_of = [&](bool first, bool second) {
    const at::Tensor parameters = tensor_of(cloud_).requires_grad_();
    core::PosedCamera other = test_camera();
    other.cam_from_world.translation = {0.3, -0.2, 3.5};
    const TorchRender a = rasterize("cpu", pool_, parameters, background_, test_camera(), options_);
    const TorchRender b = rasterize("cpu", pool_, parameters, background_, other, options_);
    at::Tensor loss = at::zeros({}, at::kFloat);
    if (first) loss = loss + a.color.sum();
    if (second) loss = loss + b.alpha.sum();
    loss.backward();
    return parameters.grad();
  };
  const at::Tensor sum = gradient_of(true, false) + gradient_of(false, true);
  EXPECT_TRUE(sum.allclose(gradient_of(true, true), 1e-5, 1e-5));
}

TEST_F(TorchOps, WithoutDepthThereIsNone) {
  options_.depth = false;
  const TorchRender render =
      rasterize("cpu", pool_, tensor_of(cloud_), background_, test_camera(), options_);
  EXPECT_FALSE(render.depth.defined());
  EXPECT_EQ(render.color.sizes(), (at::IntArrayRef{kHeight, kWidth, 3}));
  EXPECT_EQ(render.alpha.sizes(), (at::IntArrayRef{kHeight, kWidth}));
}

TEST_F(TorchOps, RefusesOtherTensors) {
  const auto draw = [&](const at::Tensor& parameters) {
    rasterize("cpu", pool_, parameters, background_, test_camera(), options_);
  };
  EXPECT_THROW(draw(at::zeros({13, kCount}, at::kFloat)), core::Error);
  EXPECT_THROW(draw(at::zeros({23}, at::kFloat)), core::Error);
  EXPECT_THROW(draw(at::zeros({23, kCount}, at::kDouble)), core::Error);
}

TEST_F(TorchOps, HasNoSecondDerivatives) {
  const at::Tensor parameters = tensor_of(cloud_).requires_grad_();
  const TorchRender render =
      rasterize("cpu", pool_, parameters, background_, test_camera(), options_);
  EXPECT_THROW(torch::autograd::grad({render.color.sum()}, {parameters}, {}, /*retain_graph=*/true,
                                     /*create_graph=*/true),
               core::Error);
}

}  // namespace
}  // namespace tessera::render
