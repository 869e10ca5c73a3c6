// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/network.h"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/pixel_shuffle.h>
#include <ATen/ops/pixel_unshuffle.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/math/rng.h"
#include "models/multiplane/refiner/layer_patches.h"

namespace tessera::models {
namespace {

constexpr const char* kArchitecture = "tessera multiplane refiner 1";
constexpr int64_t kWidths[] = {48, 96, 160};  // at a half, a quarter and an eighth
constexpr int64_t kGroups = 8;
constexpr double kEpsilon = 1e-5;
constexpr int64_t kAlignment = 16;  // floats

}  // namespace

size_t RefinerNetwork::add_parameter(const std::string& name, std::vector<int64_t> shape) {
  int64_t begin = 0;
  if (!parameters_.empty()) {
    const Parameter& before = parameters_.back();
    begin = before.begin + core::element_count(before.shape);
    begin = (begin + kAlignment - 1) / kAlignment * kAlignment;
  }
  parameters_.push_back({name, std::move(shape), begin, {}});
  return parameters_.size() - 1;
}

RefinerNetwork::Convolution RefinerNetwork::add_convolution(const std::string& name, int64_t from,
                                                            int64_t to) {
  Convolution convolution;
  convolution.weight = add_parameter(name + ".weight", {to, from, 3, 3});
  convolution.scale = add_parameter(name + ".norm.weight", {to});
  convolution.shift = add_parameter(name + ".norm.bias", {to});
  return convolution;
}

// Two convolutions for each size on the way down, in the middle and on the way up.
void RefinerNetwork::lay_out() {
  int64_t from = 4 * kPatchChannels;
  const auto add_two = [&](const std::string& name, int64_t first, int64_t width) {
    convolutions_.push_back(add_convolution(name + ".0", first, width));
    convolutions_.push_back(add_convolution(name + ".1", width, width));
    from = width;
  };
  for (size_t i = 0; i < std::size(kWidths); ++i) {
    add_two(fmt::format("down.{}", i), from, kWidths[i]);
  }
  add_two("middle", from, from);
  for (size_t i = std::size(kWidths); i-- > 0;) {
    add_two(fmt::format("up.{}", i), from + kWidths[i], kWidths[i]);
  }
  last_weight_ = add_parameter("last.weight", {4 * kRefinedChannels, from, 3, 3});
  last_bias_ = add_parameter("last.bias", {4 * kRefinedChannels});
  const Parameter& end = parameters_.back();
  values_.reset(1, end.begin + core::element_count(end.shape));
  gradients_.reset(1, values_.size());
  for (Parameter& parameter : parameters_) {
    parameter.tensor =
        at::from_blob(values_.plane(0) + parameter.begin, parameter.shape, at::kFloat);
    parameter.tensor.requires_grad_();
    parameter.tensor.mutable_grad() =
        at::from_blob(gradients_.plane(0) + parameter.begin, parameter.shape, at::kFloat);
  }
}

// He et al., "Delving Deep into Rectifiers", 2015.
RefinerNetwork::RefinerNetwork(uint64_t seed) {
  lay_out();
  for (const Convolution& convolution : convolutions_) {
    const Parameter& weight = parameters_[convolution.weight];
    float* to = values_.plane(0) + weight.begin;
    const float deviation = std::sqrt(2.0F / static_cast<float>(weight.shape[1] * 9));
    const int64_t count = core::element_count(weight.shape);
    for (int64_t i = 0; i < count; i += 2) {
      const math::Random4 bits =
          math::random_bits(seed, math::RandomStream::kInit, 0, weight.begin + i);
      float pair[2];
      math::normals_from_bits(bits.v[0], bits.v[1], pair[0], pair[1]);
      for (int64_t k = 0; k < std::min<int64_t>(2, count - i); ++k) to[i + k] = deviation * pair[k];
    }
    const Parameter& scale = parameters_[convolution.scale];
    std::fill_n(values_.plane(0) + scale.begin, core::element_count(scale.shape), 1.0F);
  }
}

RefinerNetwork::RefinerNetwork(const core::TensorMap& weights) {
  lay_out();
  const auto architecture = weights.metadata.find("architecture");
  if (architecture == weights.metadata.end() || architecture->second != kArchitecture) {
    throw core::Error(fmt::format(
        "These are no weights of a refiner: their metadata must say the architecture '{}'; "
        "tessera-neural train-refiner makes such a file.",
        kArchitecture));
  }
  for (const Parameter& parameter : parameters_) {
    const auto found = weights.tensors.find(parameter.name);
    if (found == weights.tensors.end() || found->second.shape != parameter.shape) {
      throw core::Error(fmt::format(
          "The refiner's weights are not whole: {} is {} and should be {}; train it anew.",
          parameter.name,
          found == weights.tensors.end() ? "missing" : core::shape_text(found->second.shape),
          core::shape_text(parameter.shape)));
    }
    const core::Array<float> values = core::floats_of(found->second);
    std::copy(values.begin(), values.end(), values_.plane(0) + parameter.begin);
  }
}

core::TensorMap RefinerNetwork::weights(const core::Planes& values) const {
  core::TensorMap map;
  map.metadata["architecture"] = kArchitecture;
  for (const Parameter& parameter : parameters_) {
    const auto count = static_cast<size_t>(core::element_count(parameter.shape));
    map.tensors[parameter.name] =
        core::float_tensor(parameter.shape, {values.plane(0) + parameter.begin, count});
  }
  return map;
}

at::Tensor RefinerNetwork::convolve(const Convolution& convolution, const at::Tensor& x) const {
  const at::Tensor y = at::conv2d(x, parameters_[convolution.weight].tensor, {}, 1, 1);
  return at::silu(at::group_norm(y, kGroups, parameters_[convolution.scale].tensor,
                                 parameters_[convolution.shift].tensor, kEpsilon));
}

at::Tensor RefinerNetwork::forward(const at::Tensor& seen) const {
  at::Tensor x = at::pixel_unshuffle(seen, 2);
  auto next = convolutions_.begin();
  const auto two = [&](const at::Tensor& from) {
    const at::Tensor once = convolve(*next++, from);
    return convolve(*next++, once);
  };
  std::vector<at::Tensor> passed;
  for (size_t i = 0; i < std::size(kWidths); ++i) {
    x = two(x);
    passed.push_back(x);
    x = at::avg_pool2d(x, 2);
  }
  x = two(x);
  for (size_t i = std::size(kWidths); i-- > 0;) {
    x = at::upsample_nearest2d(x, {passed[i].size(2), passed[i].size(3)});
    x = two(at::cat({x, passed[i]}, 1));
  }
  x = at::conv2d(x, parameters_[last_weight_].tensor, parameters_[last_bias_].tensor, 1, 1);
  x = at::pixel_shuffle(x, 2);
  x = x.narrow(2, kPatchMargin, kPatchSide).narrow(3, kPatchMargin, kPatchSide);
  return at::tanh(x).contiguous();
}

}  // namespace tessera::models
