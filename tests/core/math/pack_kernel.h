// Functions of Pack over arrays, compiled once per instruction set like the kernels.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::test {

enum class PackFunction { kExp, kExp2, kLog2, kReciprocal, kSqrt, kSelectPositive, kFloor };

struct PackTask {
  PackFunction function;
  const float* in;
  float* out;
  int64_t count;  // a multiple of 16
};

struct PackMasks {
  int lanes = 0;
  uint32_t first_three = 0;  // bits of first_lanes(3)
  uint32_t above_two = 0;    // bits of iota(0) > 2
  uint32_t between = 0;      // bits of 1 <= iota(0) and iota(0) <= 2
  float sum = 0;             // of iota(1)
};

#define TESSERA_DECLARE_PACK_TEST(isa)   \
  namespace isa {                        \
  void apply_pack(const PackTask& task); \
  PackMasks pack_masks();                \
  }
#if defined(TESSERA_ISA)
// A kernel file: it defines them.
#elif defined(__x86_64__)
TESSERA_DECLARE_PACK_TEST(sse4)
TESSERA_DECLARE_PACK_TEST(avx2)
TESSERA_DECLARE_PACK_TEST(avx512)
#elif defined(__aarch64__)
TESSERA_DECLARE_PACK_TEST(neon)
#else
TESSERA_DECLARE_PACK_TEST(scalar)
#endif

}  // namespace tessera::test
