// Numbers of any usual type and byte order, as floats.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::assets {

enum class NumberKind { kUnsigned, kSigned, kFloat };

struct NumberType {
  NumberKind kind = NumberKind::kFloat;
  int bits = 32;
  bool big_endian = false;

  int bytes() const { return bits / 8; }
};

// Whether to_floats takes it: integers of 8, 16, 32 and 64 bits, floating point of 16, 32 and 64.
bool is_known(const NumberType& type);

// `count` numbers that stand one after another. What a float cannot hold is rounded; doubles beyond
// its range become infinite.
void to_floats(const NumberType& type, const uint8_t* from, int64_t count, float* to);

}  // namespace tessera::assets
