// What a vector of pixels samples of a layer. For kernel files.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/pack.h"
#include "render/multiplane/backends/multiplane_kernels.h"
#include "render/multiplane/plane_math.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

using math::Pack;
using math::PackMask;

namespace hn = hwy::HWY_NAMESPACE;
using IndexTag = math::PackIntTag;
using Index = hn::Vec<IndexTag>;

HWY_INLINE Pack linear_at(const float* row, Pack x, Pack y) {
  return linear_at(math::Vec3<Pack>{Pack(row[0]), Pack(row[1]), Pack(row[2])}, x, y);
}

HWY_INLINE Rgba<Pack> gather(const uint8_t* texels, Index at) {
  const IndexTag d;
  const hn::RebindToUnsigned<IndexTag> du;
  const auto rgba = hn::GatherIndex(d, reinterpret_cast<const int32_t*>(texels), at);
  const auto byte = hn::Set(d, 255);
  const math::PackTag df;
  const auto shifted = [&](auto v) { return hn::BitCast(d, v); };
  const auto bits = hn::BitCast(du, rgba);
  return {{hn::ConvertTo(df, hn::And(rgba, byte)),
           hn::ConvertTo(df, hn::And(shifted(hn::ShiftRight<8>(bits)), byte)),
           hn::ConvertTo(df, hn::And(shifted(hn::ShiftRight<16>(bits)), byte)),
           hn::ConvertTo(df, shifted(hn::ShiftRight<24>(bits)))}};
}

HWY_INLINE Rgba<Pack> gather(const float* texels, Index at) {
  const math::PackTag d;
  const auto first = hn::ShiftLeft<2>(at);
  return {{hn::GatherIndex(d, texels, first), hn::GatherIndex(d, texels + 1, first),
           hn::GatherIndex(d, texels + 2, first), hn::GatherIndex(d, texels + 3, first)}};
}

HWY_INLINE Rgba<Pack> zero_unless(PackMask mask, const Rgba<Pack>& value) {
  Rgba<Pack> r;
  for (int c = 0; c < 4; ++c) r.c[c] = math::zero_unless(mask, value.c[c]);
  return r;
}

// Where a vector of pixels samples a layer.
struct LanePlace {
  Pack x, y;                    // of the upper left texel, from the anchor
  Pack fraction_x, fraction_y;  // beyond its center
  Pack inverse;                 // 1 / homogeneous coordinate
  PackMask seen;                // only at borders
};

// `facing`: 1 / the block's facing_row at the pixels. Nothing is seen where the mask is not set.
template <bool kInside>
HWY_INLINE LanePlace place_in_layer(const BlockLayer& layer, Pack u, Pack v, Pack facing) {
  const Pack z = linear_at(layer.texel[2], u, v);
  LanePlace place;
  place.inverse = layer.facing ? facing : math::fast_reciprocal(z);
  Pack x = linear_at(layer.texel[0], u, v) * place.inverse;
  Pack y = linear_at(layer.texel[1], u, v) * place.inverse;
  if constexpr (!kInside) {
    const Pack one(1.0F), zero(0.0F);
    const PackMask before = mask_and(z > zero, linear_at(layer.inverse_depth, u, v) > zero);
    const PackMask in_x = mask_and(x > Pack(layer.first_x) - one, x < Pack(layer.last_x) + one);
    const PackMask in_y = mask_and(y > Pack(layer.first_y) - one, y < Pack(layer.last_y) + one);
    place.seen = mask_and(before, mask_and(in_x, in_y));
    x = math::zero_unless(place.seen, x);
    y = math::zero_unless(place.seen, y);
    place.inverse = math::zero_unless(place.seen, place.inverse);
  }
  place.x = math::floor(x);
  place.y = math::floor(y);
  place.fraction_x = x - place.x;
  place.fraction_y = y - place.y;
  return place;
}

HWY_INLINE Index index_of(Pack x) {
  return hn::ConvertTo(IndexTag(), x.v);
}

template <class Texel, bool kInside>
HWY_INLINE TexelQuad<Pack> gather_quad(const BlockLayer& layer, const LanePlace& place) {
  const IndexTag d;
  const auto* texels = static_cast<const Texel*>(layer.texels);
  const Index stride = hn::Set(d, layer.stride);
  if constexpr (kInside) {
    const Index at = hn::Add(hn::Mul(index_of(place.y), stride), index_of(place.x));
    const Index below = hn::Add(at, stride), one = hn::Set(d, 1);
    return {{gather(texels, at), gather(texels, hn::Add(at, one)), gather(texels, below),
             gather(texels, hn::Add(below, one))}};
  } else {
    const Pack first_x(layer.first_x), first_y(layer.first_y), last_x(layer.last_x),
        last_y(layer.last_y);
    const Pack right = place.x + Pack(1.0F), lower = place.y + Pack(1.0F);
    const PackMask has_left = place.x >= first_x, has_right = right <= last_x;
    const PackMask has_upper = mask_and(place.seen, place.y >= first_y);
    const PackMask has_lower = mask_and(place.seen, lower <= last_y);
    const auto within = [](Pack value, Pack first, Pack last) {
      return index_of(math::min(math::max(value, first), last));
    };
    const Index x0 = within(place.x, first_x, last_x), x1 = within(right, first_x, last_x);
    const Index y0 = hn::Mul(within(place.y, first_y, last_y), stride);
    const Index y1 = hn::Mul(within(lower, first_y, last_y), stride);
    return {{zero_unless(mask_and(has_upper, has_left), gather(texels, hn::Add(y0, x0))),
             zero_unless(mask_and(has_upper, has_right), gather(texels, hn::Add(y0, x1))),
             zero_unless(mask_and(has_lower, has_left), gather(texels, hn::Add(y1, x0))),
             zero_unless(mask_and(has_lower, has_right), gather(texels, hn::Add(y1, x1)))}};
  }
}

// The pixels of a block's row from `x` on; those beyond the block are its last one again.
HWY_INLINE Pack unit_columns(const Block& block, int x) {
  return math::min(Pack::iota(static_cast<float>(x)), Pack(static_cast<float>(block.width - 1)));
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
