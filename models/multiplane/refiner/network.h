// The refiner's network: a U-Net of two million parameters over patches of layers.
//
// Ronneberger, Fischer and Brox, "U-Net: Convolutional Networks for Biomedical Image Segmentation",
// 2015, at half the patches' size and coarser, with group normalization. Its last layer starts at
// zero, so that an untrained one changes nothing.
// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/gaussian_cloud.h"
#include "core/tensor_map.h"

namespace tessera::models {

class RefinerNetwork {
 public:
  // Random weights.
  explicit RefinerNetwork(uint64_t seed);
  // Throws core::Error if they are of another network: by their metadata, a name or a shape.
  explicit RefinerNetwork(const core::TensorMap& weights);
  RefinerNetwork(const RefinerNetwork&) = delete;
  RefinerNetwork& operator=(const RefinerNetwork&) = delete;

  // [n][kPatchChannels][kPatchSeen][kPatchSeen] to [n][kRefinedChannels][kPatchSide][kPatchSide],
  // -1 to 1; float32.
  at::Tensor forward(const at::Tensor& seen) const;

  // All parameters as one plane, and what backward through forward's result adds to.
  core::Planes& values() { return values_; }
  core::Planes& gradients() { return gradients_; }

  // By name, with the metadata that tell them; `values` is a plane like values().
  core::TensorMap weights(const core::Planes& values) const;

 private:
  struct Parameter {
    std::string name;
    std::vector<int64_t> shape;
    int64_t begin = 0;  // in the plane
    at::Tensor tensor;  // a view of it
  };
  struct Convolution {
    size_t weight = 0;  // of parameters_; scale and shift follow
    size_t scale = 0;
    size_t shift = 0;
  };

  void lay_out();
  Convolution add_convolution(const std::string& name, int64_t from, int64_t to);
  size_t add_parameter(const std::string& name, std::vector<int64_t> shape);
  at::Tensor convolve(const Convolution& convolution, const at::Tensor& x) const;

  std::vector<Parameter> parameters_;
  std::vector<Convolution> convolutions_;
  size_t last_weight_ = 0;
  size_t last_bias_ = 0;
  core::Planes values_;
  core::Planes gradients_;
};

}  // namespace tessera::models
