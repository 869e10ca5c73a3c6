// The size of picture that an ONNX network was made for.
//
// ONNX files are protocol buffers (onnx.proto of the ONNX project): ModelProto.graph = 7,
// GraphProto.input = 11 and initializer = 5, ValueInfoProto.type = 2, TypeProto.tensor_type = 1,
// Tensor.shape = 2, TensorShapeProto.dim = 1, Dimension.dim_value = 1.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "core/view.h"

namespace tessera::models {

// Sides that the network leaves open are zero.
struct OnnxInputSize {
  int width = 0;
  int height = 0;
};

// Of the first input that has four dimensions and is no weight; nothing if there is none, or if
// these bytes are no ONNX network.
std::optional<OnnxInputSize> onnx_input_size(core::View<const uint8_t> bytes);

}  // namespace tessera::models
