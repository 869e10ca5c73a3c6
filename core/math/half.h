// IEEE 754 half precision in integer arithmetic, so that every processor gives the same bits:
// rounded to the nearest, or at random to either neighbour so that the mean is the value itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/math/host_device.h"
#include "core/math/rng.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

inline constexpr float kLargestHalf = 65504.0F;

namespace half_layout {

constexpr uint32_t kSign = 0x80000000U, kInfinity = 0x7F800000U;  // of a float
constexpr uint32_t kSmallestNormal = 113U << 23;                  // 2^-14 as a float
constexpr int kDropped = 13;                                      // bits of a float's mantissa
constexpr uint32_t kRebias = (127U - 15U) << 10;
constexpr float kPerSubnormal = 16777216.0F;  // 2^24

// Half's sign bit, and its infinity or a NaN for a float that is not finite.
TESSERA_HD uint16_t sign_of(uint32_t bits) {
  return static_cast<uint16_t>((bits & kSign) >> 16);
}
TESSERA_HD uint16_t not_finite(uint32_t magnitude) {
  return magnitude > kInfinity ? 0x7E00 : 0x7C00;
}

}  // namespace half_layout

// The nearest, of two the even one; what is finite and beyond the largest becomes the largest.
TESSERA_HD uint16_t half_from_float(float value) {
  using namespace half_layout;
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & ~kSign;
  const uint16_t sign = sign_of(bits);
  if (magnitude >= kInfinity) return sign | not_finite(magnitude);
  if (magnitude >= std::bit_cast<uint32_t>(kLargestHalf)) return sign | 0x7BFF;
  if (magnitude < kSmallestNormal) {
    return sign | static_cast<uint16_t>(std::nearbyint(std::fabs(value) * kPerSubnormal));
  }
  const uint32_t up = (1U << (kDropped - 1)) - 1 + (magnitude >> kDropped & 1U);
  return sign | static_cast<uint16_t>(((magnitude + up) >> kDropped) - kRebias);
}

// Either neighbour, whose mean over all `bits` is the value, for |value| up to the largest half.
// Below 2^-14 the odds are a multiple of 2^-24.
TESSERA_HD uint16_t half_at_random(float value, uint32_t bits) {
  using namespace half_layout;
  const auto value_bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = value_bits & ~kSign;
  const uint16_t sign = sign_of(value_bits);
  if (magnitude >= kInfinity) return sign | not_finite(magnitude);
  if (magnitude >= std::bit_cast<uint32_t>(kLargestHalf)) return sign | 0x7BFF;
  if (magnitude < kSmallestNormal) {
    const float steps = std::fabs(value) * kPerSubnormal;
    const auto whole = static_cast<uint32_t>(steps);
    const bool up = uniform_from_bits(bits) < steps - static_cast<float>(whole);
    return sign | static_cast<uint16_t>(whole + (up ? 1U : 0U));
  }
  return sign |
         static_cast<uint16_t>(((magnitude + (bits >> (32 - kDropped))) >> kDropped) - kRebias);
}

TESSERA_HD float float_from_half(uint16_t half) {
  using namespace half_layout;
  const uint32_t sign = (half & 0x8000U) << 16;
  const uint32_t magnitude = half & 0x7FFFU;
  if (magnitude < 0x0400U) {
    const float value = static_cast<float>(magnitude) / kPerSubnormal;
    return sign != 0 ? -value : value;
  }
  const uint32_t rest = magnitude >= 0x7C00U ? kInfinity | (magnitude & 0x3FFU) << kDropped
                                             : (magnitude + kRebias) << kDropped;
  return std::bit_cast<float>(sign | rest);
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
