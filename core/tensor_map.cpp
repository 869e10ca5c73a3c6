// SPDX-License-Identifier: MIT
#include "core/tensor_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>

#include "core/error.h"
#include "core/math/half.h"

namespace tessera::core {

int64_t bytes_of(TensorType type) {
  switch (type) {
    case TensorType::kFloat64:
    case TensorType::kInt64:
    case TensorType::kUint64:
      return 8;
    case TensorType::kFloat32:
    case TensorType::kInt32:
    case TensorType::kUint32:
      return 4;
    case TensorType::kFloat16:
    case TensorType::kBfloat16:
    case TensorType::kInt16:
    case TensorType::kUint16:
      return 2;
    case TensorType::kInt8:
    case TensorType::kUint8:
    case TensorType::kBool:
      return 1;
  }
  return 0;
}

int64_t element_count(std::span<const int64_t> shape) {
  int64_t count = 1;
  for (const int64_t length : shape) count *= length;
  return count;
}

TensorData float_tensor(std::vector<int64_t> shape, std::span<const float> values) {
  TensorData tensor{TensorType::kFloat32, std::move(shape),
                    Array<uint8_t>(static_cast<int64_t>(values.size_bytes()))};
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), values.size_bytes());
  return tensor;
}

Array<float> floats_of(const TensorData& tensor) {
  Array<float> values(tensor.bytes.size() / bytes_of(tensor.type));
  const uint8_t* from = tensor.bytes.data();
  const auto half_word = [&](int64_t i) {
    uint16_t word = 0;
    std::memcpy(&word, from + 2 * i, 2);
    return word;
  };
  switch (tensor.type) {
    case TensorType::kFloat32:
      if (!values.empty()) std::memcpy(values.data(), from, tensor.bytes.size());
      break;
    case TensorType::kFloat16:
      for (int64_t i = 0; i < values.size(); ++i) values[i] = math::float_from_half(half_word(i));
      break;
    case TensorType::kBfloat16:
      for (int64_t i = 0; i < values.size(); ++i) {
        values[i] = std::bit_cast<float>(uint32_t{half_word(i)} << 16);
      }
      break;
    default:
      throw Error("The tensor holds no floating-point numbers of 16 or 32 bits.");
  }
  return values;
}

std::string shape_text(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace tessera::core
