// Tensors by name, as the weights of networks arrive from files: plain bytes with a type and a
// shape, so that who reads files knows no network and networks know no file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/array.h"

namespace tessera::core {

enum class TensorType {
  kFloat32,
  kFloat16,
  kBfloat16,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kBool
};

int64_t bytes_of(TensorType type);  // of one element

struct TensorData {
  TensorType type = TensorType::kFloat32;
  std::vector<int64_t> shape;  // empty: one element
  Array<uint8_t> bytes;        // rows of the last dimension first, little-endian

  friend bool operator==(const TensorData& a, const TensorData& b) {
    return a.type == b.type && a.shape == b.shape && a.bytes == b.bytes;
  }
};

struct TensorMap {
  std::map<std::string, TensorData, std::less<>> tensors;
  std::map<std::string, std::string, std::less<>> metadata;  // what the file says of itself

  friend bool operator==(const TensorMap& a, const TensorMap& b) {
    return a.tensors == b.tensors && a.metadata == b.metadata;
  }
};

int64_t element_count(std::span<const int64_t> shape);

// `values` has as many as the shape asks for.
TensorData float_tensor(std::vector<int64_t> shape, std::span<const float> values);

// The numbers of a tensor of 32-bit or 16-bit floating point. Throws Error for other types.
Array<float> floats_of(const TensorData& tensor);

// "[32, 7, 3, 3]"
std::string shape_text(std::span<const int64_t> shape);

}  // namespace tessera::core
