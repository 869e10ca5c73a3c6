// SPDX-License-Identifier: MIT
#include "models/multiplane/onnx_input.h"

#include <string_view>
#include <vector>

namespace tessera::models {
namespace {

// A field of a message: a number, or bytes.
struct Field {
  uint32_t id = 0;
  uint64_t number = 0;
  core::View<const uint8_t> bytes;
};

// Walks over a message's fields; ends at the first that is broken.
class Message {
 public:
  explicit Message(core::View<const uint8_t> bytes) : rest_(bytes) {}

  bool next(Field& field) {
    uint64_t key = 0;
    if (rest_.size == 0 || !varint(key)) return false;
    field = {static_cast<uint32_t>(key >> 3), 0, {}};
    uint64_t size = 0;
    switch (key & 7) {
      case 0:
        return varint(field.number);
      case 1:
        return take(8, field.bytes);
      case 2:
        return varint(size) && take(size, field.bytes);
      case 5:
        return take(4, field.bytes);
      default:
        return false;
    }
  }

 private:
  bool varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      core::View<const uint8_t> byte;
      if (!take(1, byte)) return false;
      value |= uint64_t{byte[0] & 0x7FU} << shift;
      if (byte[0] < 0x80) return true;
    }
    return false;
  }
  bool take(uint64_t count, core::View<const uint8_t>& bytes) {
    if (count > static_cast<uint64_t>(rest_.size)) return false;
    const auto n = static_cast<int64_t>(count);
    bytes = {rest_.data, n};
    rest_ = {rest_.data + n, rest_.size - n};
    return true;
  }

  core::View<const uint8_t> rest_;
};

// The first field of that number that holds bytes; empty if there is none.
core::View<const uint8_t> inner(core::View<const uint8_t> bytes, uint32_t id) {
  Message message(bytes);
  Field field;
  while (message.next(field)) {
    if (field.id == id && field.bytes.size > 0) return field.bytes;
  }
  return {};
}

std::vector<uint64_t> dimensions_of(core::View<const uint8_t> value_info) {
  Message shape(inner(inner(inner(value_info, 2), 1), 2));
  std::vector<uint64_t> dimensions;
  Field dimension;
  while (shape.next(dimension)) {
    if (dimension.id != 1) continue;
    Message values(dimension.bytes);
    Field value;
    uint64_t size = 0;
    while (values.next(value)) {
      if (value.id == 1 && value.bytes.size == 0) size = value.number;
    }
    dimensions.push_back(size);
  }
  return dimensions;
}

std::string_view text(core::View<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data), static_cast<size_t>(bytes.size)};
}

}  // namespace

std::optional<OnnxInputSize> onnx_input_size(core::View<const uint8_t> bytes) {
  const core::View<const uint8_t> graph = inner(bytes, 7);
  std::vector<std::string_view> weights;
  Message fields(graph);
  Field field;
  while (fields.next(field)) {
    constexpr uint32_t kInitializer = 5;
    constexpr uint32_t kNameOfTensor = 8;
    if (field.id == kInitializer) weights.push_back(text(inner(field.bytes, kNameOfTensor)));
  }
  fields = Message(graph);
  while (fields.next(field)) {
    constexpr uint32_t kInput = 11;
    constexpr uint64_t kMostPixelsASide = 1 << 14;
    if (field.id != kInput) continue;
    const std::string_view name = text(inner(field.bytes, 1));
    bool is_weight = false;
    for (const std::string_view weight : weights) is_weight = is_weight || weight == name;
    const std::vector<uint64_t> dimensions = dimensions_of(field.bytes);
    if (is_weight || dimensions.size() != 4) continue;
    const auto side = [](uint64_t size) {
      return size <= kMostPixelsASide ? static_cast<int>(size) : 0;
    };
    return OnnxInputSize{side(dimensions[3]), side(dimensions[2])};
  }
  return std::nullopt;
}

}  // namespace tessera::models
