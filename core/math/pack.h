// As many floats as one vector of the instruction set holds, with the operators of a number.
//
// A thin wrapper over Highway in its static mode: a kernel file that includes this is compiled once
// per set (cmake/targets.cmake), and everything here stands in that set's inline namespace.
// SPDX-License-Identifier: MIT
#pragma once

#if !defined(TESSERA_ISA)
#error "core/math/pack.h is for kernel files, which CMake compiles once per instruction set"
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "core/math/host_device.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using PackTag = hn::ScalableTag<float>;
using PackIntTag = hn::RebindToSigned<PackTag>;

constexpr int kPackLanes = HWY_LANES(float);

struct PackMask {
  hn::Mask<PackTag> m;
};

struct Pack {
  hn::Vec<PackTag> v;

  Pack() = default;
  HWY_INLINE Pack(hn::Vec<PackTag> vec) : v(vec) {}
  HWY_INLINE Pack(float a) : v(hn::Set(PackTag(), a)) {}

  static HWY_INLINE Pack load(const float* p) { return hn::LoadU(PackTag(), p); }
  static HWY_INLINE Pack load_aligned(const float* p) { return hn::Load(PackTag(), p); }
  // first, first + 1, ...
  static HWY_INLINE Pack iota(float first) { return hn::Iota(PackTag(), first); }
  HWY_INLINE void store(float* p) const { hn::StoreU(v, PackTag(), p); }
  HWY_INLINE void store_aligned(float* p) const { hn::Store(v, PackTag(), p); }
};

HWY_INLINE Pack operator+(Pack a, Pack b) {
  return hn::Add(a.v, b.v);
}
HWY_INLINE Pack operator-(Pack a, Pack b) {
  return hn::Sub(a.v, b.v);
}
HWY_INLINE Pack operator-(Pack a) {
  return hn::Neg(a.v);
}
HWY_INLINE Pack operator*(Pack a, Pack b) {
  return hn::Mul(a.v, b.v);
}
HWY_INLINE Pack operator/(Pack a, Pack b) {
  return hn::Div(a.v, b.v);
}
HWY_INLINE Pack& operator+=(Pack& a, Pack b) {
  return a = a + b;
}
HWY_INLINE Pack& operator-=(Pack& a, Pack b) {
  return a = a - b;
}
HWY_INLINE PackMask operator<(Pack a, Pack b) {
  return {hn::Lt(a.v, b.v)};
}
HWY_INLINE PackMask operator>(Pack a, Pack b) {
  return {hn::Gt(a.v, b.v)};
}
HWY_INLINE PackMask operator<=(Pack a, Pack b) {
  return {hn::Le(a.v, b.v)};
}
HWY_INLINE PackMask operator>=(Pack a, Pack b) {
  return {hn::Ge(a.v, b.v)};
}

HWY_INLINE PackMask mask_and(PackMask a, PackMask b) {
  return {hn::And(a.m, b.m)};
}
HWY_INLINE PackMask mask_or(PackMask a, PackMask b) {
  return {hn::Or(a.m, b.m)};
}
HWY_INLINE bool none(PackMask a) {
  return hn::AllFalse(PackTag(), a.m);
}
HWY_INLINE PackMask first_lanes(int count) {
  return {hn::FirstN(PackTag(), static_cast<size_t>(count))};
}
// Bit i is lane i.
HWY_INLINE uint32_t bits_of(PackMask a) {
  uint8_t bytes[8] = {};
  hn::StoreMaskBits(PackTag(), a.m, bytes);
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8;
}

HWY_INLINE Pack select(PackMask mask, Pack if_true, Pack if_false) {
  return hn::IfThenElse(mask.m, if_true.v, if_false.v);
}
HWY_INLINE Pack zero_unless(PackMask mask, Pack a) {
  return hn::IfThenElseZero(mask.m, a.v);
}
HWY_INLINE Pack sqrt(Pack a) {
  return hn::Sqrt(a.v);
}
HWY_INLINE Pack abs(Pack a) {
  return hn::Abs(a.v);
}
// -|a|
HWY_INLINE Pack negative_abs(Pack a) {
  return hn::Or(a.v, hn::SignBit(PackTag()));
}
HWY_INLINE Pack min(Pack a, Pack b) {
  return hn::Min(a.v, b.v);
}
HWY_INLINE Pack max(Pack a, Pack b) {
  return hn::Max(a.v, b.v);
}
HWY_INLINE Pack floor(Pack a) {
  return hn::Floor(a.v);
}
HWY_INLINE Pack ceil(Pack a) {
  return hn::Ceil(a.v);
}
HWY_INLINE Pack mul_add(Pack a, Pack b, Pack c) {
  return hn::MulAdd(a.v, b.v, c.v);
}
// a b - c
HWY_INLINE Pack mul_sub(Pack a, Pack b, Pack c) {
  return hn::MulSub(a.v, b.v, c.v);
}
// c - a b
HWY_INLINE Pack negative_mul_add(Pack a, Pack b, Pack c) {
  return hn::NegMulAdd(a.v, b.v, c.v);
}
// 1/a to about 1e-7 (one Newton step), for a away from 0 and infinity.
HWY_INLINE Pack fast_reciprocal(Pack a) {
#if HWY_TARGET == HWY_NEON  // its estimate has 8 bits only
  return Pack(1.0F) / a;
#else
  const auto r = hn::ApproximateReciprocal(a.v);
  return hn::Mul(r, hn::NegMulAdd(a.v, r, hn::Set(PackTag(), 2.0F)));
#endif
}

// 2^a for a in [-126, 126], relative error below 2e-7: the Chebyshev interpolant of degree 5 on
// [-1/2, 1/2], in pairs of terms so that few steps wait for one another, scaled through the
// exponent's bits.
HWY_INLINE Pack fast_exp2(Pack a) {
  const PackTag d;
  const PackIntTag di;
  const auto magic = hn::Set(d, 12582912.0F);  // 1.5 * 2^23: rounds to an integer in the low bits
  const auto shifted = hn::Add(a.v, magic);
  const auto f = hn::Sub(a.v, hn::Sub(shifted, magic));
  const auto f2 = hn::Mul(f, f);
  const auto low = hn::MulAdd(hn::Set(d, 6.9314719e-1F), f, hn::Set(d, 1.0F));
  const auto middle = hn::MulAdd(hn::Set(d, 5.5503571e-2F), f, hn::Set(d, 2.4022107e-1F));
  const auto high = hn::MulAdd(hn::Set(d, 1.3390863e-3F), f, hn::Set(d, 9.6760319e-3F));
  const auto p = hn::MulAdd(hn::MulAdd(high, f2, middle), f2, low);
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
}

HWY_INLINE Pack exp(Pack a) {
  const Pack scaled = a * Pack(1.44269504088896341F);
  return fast_exp2(max(min(scaled, Pack(126.0F)), Pack(-126.0F)));
}
HWY_INLINE Pack exp2(Pack a) {
  return fast_exp2(max(min(a, Pack(126.0F)), Pack(-126.0F)));
}

// log2 of a normal positive number, absolute error below 1e-6: exponent plus the series of
// atanh((m-1)/(m+1)) for the mantissa m in [sqrt(1/2), sqrt(2)).
HWY_INLINE Pack log2(Pack a) {
  const PackTag d;
  const PackIntTag di;
  const auto bits = hn::BitCast(di, a.v);
  const auto offset = hn::Sub(bits, hn::Set(di, 0x3f3504f3));
  const auto exponent = hn::ShiftRight<23>(offset);
  const auto mantissa = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const auto one = hn::Set(d, 1.0F);
  const auto s = hn::Div(hn::Sub(mantissa, one), hn::Add(mantissa, one));
  const auto s2 = hn::Mul(s, s);
  auto p = hn::Set(d, 0.4121986F);                // 2 / (7 ln 2)
  p = hn::MulAdd(p, s2, hn::Set(d, 0.5770780F));  // 2 / (5 ln 2)
  p = hn::MulAdd(p, s2, hn::Set(d, 0.9617967F));  // 2 / (3 ln 2)
  p = hn::MulAdd(p, s2, hn::Set(d, 2.8853901F));  // 2 / ln 2
  return hn::MulAdd(p, s, hn::ConvertTo(d, exponent));
}

// Absolute error below 2e-7: halved twice into [0, tan(pi/8)], then a polynomial (Cephes' atanf).
HWY_INLINE Pack atan(Pack a) {
  const Pack x = abs(a), one(1.0F);
  const PackMask steep = x > Pack(2.414213562F), middle = x > Pack(0.4142135624F);
  const Pack reduced =
      select(steep, -(one / max(x, one)), select(middle, (x - one) / (x + one), x));
  const Pack base =
      select(steep, Pack(1.570796327F), select(middle, Pack(0.7853981634F), Pack(0.0F)));
  const Pack z = reduced * reduced;
  Pack p(8.05374449538e-2F);
  p = mul_add(p, z, Pack(-1.38776856032e-1F));
  p = mul_add(p, z, Pack(1.99777106478e-1F));
  p = mul_add(p, z, Pack(-3.33329491539e-1F));
  const Pack angle = base + mul_add(p * z, reduced, reduced);
  return hn::CopySignToAbs(angle.v, a.v);
}

HWY_INLINE float sum_of_lanes(Pack a) {
  return hn::GetLane(hn::SumOfLanes(PackTag(), a.v));
}
// The sum of a vector's `kLanes` / 4 blocks of four lanes.
template <int kLanes, class V>
HWY_INLINE auto sum_of_blocks(V v) {
  if constexpr (kLanes <= 4) {
    return v;
  } else {
    const hn::CappedTag<float, kLanes / 2> half;
    return sum_of_blocks<kLanes / 2>(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
// The sums of four at once, to four floats: fewer moves between lanes than one after another.
HWY_INLINE void store_sums_of_lanes(Pack a, Pack b, Pack c, Pack d, float* to) {
  const PackTag tag;
  const hn::RepartitionToWide<PackTag> wide;
  // In each block of four lanes: a0+a2, b0+b2, a1+a3, b1+b3, and so for c and d.
  const auto ab = hn::Add(hn::InterleaveLower(tag, a.v, b.v), hn::InterleaveUpper(tag, a.v, b.v));
  const auto cd = hn::Add(hn::InterleaveLower(tag, c.v, d.v), hn::InterleaveUpper(tag, c.v, d.v));
  const auto ab2 = hn::BitCast(wide, ab), cd2 = hn::BitCast(wide, cd);
  const auto sums = hn::Add(hn::BitCast(tag, hn::InterleaveLower(wide, ab2, cd2)),
                            hn::BitCast(tag, hn::InterleaveUpper(wide, ab2, cd2)));
  hn::StoreU(sum_of_blocks<kPackLanes>(sums), hn::CappedTag<float, 4>(), to);
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
