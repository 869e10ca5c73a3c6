// Damaged copies of a file's bytes, the same ones every time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace tessera::tests {

// The first sixteenth/16 of the bytes.
inline std::string cut_at(const std::string& bytes, size_t sixteenth) {
  return bytes.substr(0, bytes.size() * sixteenth / 16);
}

// Up to 16 flipped bits; every fourth copy has a run of one byte written over it instead, which
// makes large counts.
inline std::string damaged(std::string bytes, uint32_t seed) {
  if (bytes.empty()) return bytes;
  std::minstd_rand random(seed + 1);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random()) % limit; };
  if (seed % 4 == 3) {
    const char value = below(2) == 0 ? '\xFF' : '\0';
    const size_t at = below(bytes.size());
    const size_t count = std::min(1 + below(8), bytes.size() - at);
    bytes.replace(at, count, count, value);
    return bytes;
  }
  for (size_t i = 0; i <= below(16); ++i) {
    char& byte = bytes[below(bytes.size())];
    byte = static_cast<char>(byte ^ (1 << below(8)));
  }
  return bytes;
}

}  // namespace tessera::tests
