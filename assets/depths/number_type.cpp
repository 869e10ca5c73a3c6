// SPDX-License-Identifier: MIT
#include "assets/depths/number_type.h"

#include <algorithm>

#include "assets/bytes.h"
#include "core/math/half.h"

namespace tessera::assets {
namespace {

struct Half {
  uint16_t bits;
  explicit operator float() const { return math::float_from_half(bits); }
};

template <class T>
void convert(bool big_endian, const uint8_t* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i, from += sizeof(T)) {
    to[i] = static_cast<float>(big_endian ? load<T, true>(from) : load<T>(from));
  }
}

struct NumberRow {
  NumberKind kind;
  int bits;
  void (*convert)(bool big_endian, const uint8_t* from, int64_t count, float* to);
};

constexpr NumberRow kNumbers[] = {
    {NumberKind::kUnsigned, 8, convert<uint8_t>},   {NumberKind::kUnsigned, 16, convert<uint16_t>},
    {NumberKind::kUnsigned, 32, convert<uint32_t>}, {NumberKind::kUnsigned, 64, convert<uint64_t>},
    {NumberKind::kSigned, 8, convert<int8_t>},      {NumberKind::kSigned, 16, convert<int16_t>},
    {NumberKind::kSigned, 32, convert<int32_t>},    {NumberKind::kSigned, 64, convert<int64_t>},
    {NumberKind::kFloat, 16, convert<Half>},        {NumberKind::kFloat, 32, convert<float>},
    {NumberKind::kFloat, 64, convert<double>},
};

const NumberRow* find_row(const NumberType& type) {
  const NumberRow* row =
      std::find_if(std::begin(kNumbers), std::end(kNumbers),
                   [&](const NumberRow& r) { return r.kind == type.kind && r.bits == type.bits; });
  return row == std::end(kNumbers) ? nullptr : row;
}

}  // namespace

bool is_known(const NumberType& type) {
  return find_row(type) != nullptr;
}

void to_floats(const NumberType& type, const uint8_t* from, int64_t count, float* to) {
  find_row(type)->convert(type.big_endian, from, count, to);
}

}  // namespace tessera::assets
