// Counter-based random numbers: a pure function of (seed, step, id, draw), so that no answer
// depends on the number of threads or ranks, or on how Gaussians are stored.
//
// Philox4x32-10: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "core/math/host_device.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

struct Random4 {
  uint32_t v[4];
};

TESSERA_HD Random4 philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0,
                          uint32_t k1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53U} * c0;
    const uint64_t p1 = uint64_t{0xCD9E8D57U} * c2;
    const uint32_t n0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const uint32_t n2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<uint32_t>(p1);
    c3 = static_cast<uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

// What the numbers are for: streams of different purpose never share a counter.
enum class RandomStream : uint32_t {
  kViewOrder,
  kSplit,
  kMcmcNoise,
  kMcmcDraw,
  kBackground,
  kInit,
  kMessageRounding,
  kRefiner
};

// Four 32-bit numbers for (seed, stream, step, id). `step` below 2^24, `stream` below 2^8.
TESSERA_HD Random4 random_bits(uint64_t seed, RandomStream stream, uint32_t step, uint64_t id) {
  return philox(static_cast<uint32_t>(id), static_cast<uint32_t>(id >> 32), step,
                static_cast<uint32_t>(stream), static_cast<uint32_t>(seed),
                static_cast<uint32_t>(seed >> 32));
}

// [0, 1), 24 bits.
TESSERA_HD float uniform_from_bits(uint32_t bits) {
  return static_cast<float>(bits >> 8) * (1.0F / 16777216.0F);
}

// Two independent standard normals (Box-Muller).
TESSERA_HD void normals_from_bits(uint32_t a, uint32_t b, float& n0, float& n1) {
  const float u = (static_cast<float>(a >> 8) + 1.0F) * (1.0F / 16777216.0F);
  const float radius = std::sqrt(-2.0F * std::log(u));
  const float angle = 6.28318530717958648F * uniform_from_bits(b);
  n0 = radius * std::cos(angle);
  n1 = radius * std::sin(angle);
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
