// Numbers out of a file's bytes and into them, in either byte order, within bounds.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/view.h"

namespace tessera::assets {

using Bytes = core::View<const uint8_t>;

static_assert(std::endian::native == std::endian::little,
              "files are little endian by default; another host needs swaps here");

// The caller has checked that sizeof(T) bytes are there.
template <class T, bool kBigEndian = false>
T load(const uint8_t* from) {
  std::array<uint8_t, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if constexpr (kBigEndian && sizeof(T) > 1) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class T>
void store(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

// Whether `count` records of `record_size` bytes fit into `size` bytes, without overflow.
inline bool fits(uint64_t count, uint64_t record_size, uint64_t size) {
  return record_size == 0 || count <= size / record_size;
}

}  // namespace tessera::assets
