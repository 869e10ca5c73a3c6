// Gradients of a tile's splats, front to back as they were blended.
//
// With S_i the part of (colour . dL/dcolour) that lies behind splat i,
//   dL/dalpha_i = T_i (c_i . g) - S_i / (1 - alpha_i).
// Walking in the forward order repeats its transmittances and its decisions bit for bit, and S_i is
// the total less what was blended so far; no per-pixel list or last index is kept. A pixel that is
// done has transmittance 0 here. Sums over pixels stay in vectors until the splat is finished with
// the tile: no atomics, few horizontal sums.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_pair_batch.h"

namespace tessera::render {
inline namespace TESSERA_ISA {
namespace {

// kDepth: dL/d(sum w z); kExpectedDepth: as forward gave it.
constexpr int kRed = 0, kGreen = 1, kBlue = 2, kBehind = 3, kTransmittance = 4, kDepth = 5,
              kExpectedDepth = 6;
template <bool kWithDepth>
using TileGradient = TilePlanes<kWithDepth ? 7 : 5>;

using Quad = hwy::HWY_NAMESPACE::Vec<QuadTag>;

// Four pixels of a row of the tile, those outside the window as zeros.
struct PictureQuad {
  int64_t pixel;
  int inside;  // how many of them lie in the window

  HWY_INLINE PictureQuad(const TilePlace& place, int slot)
      : pixel(place.pixel(pixel_x(slot), pixel_y(slot))),
        inside(pixel_y(slot) >= place.height ? 0 : place.width - pixel_x(slot)) {}

  HWY_INLINE Quad load(const float* picture) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const QuadTag d;
    if (inside >= 4) return hn::LoadU(d, picture + pixel);
    alignas(16) float values[4] = {};
    for (int k = 0; k < inside; ++k) values[k] = picture[pixel + k];
    return hn::Load(d, values);
  }
  HWY_INLINE void load_color(const float* picture, Quad& red, Quad& green, Quad& blue) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const QuadTag d;
    if (inside >= 4) {
      hn::LoadInterleaved3(d, picture + 3 * pixel, red, green, blue);
      return;
    }
    alignas(16) float values[12] = {};
    for (int k = 0; k < 3 * inside; ++k) values[k] = picture[3 * pixel + k];
    hn::LoadInterleaved3(d, values, red, green, blue);
  }
};

// Loads dL/d of the tile's pixels, and what of the colour lies behind the first splat: all.
template <bool kWithDepth>
HWY_INLINE void start_tile(const RasterBackwardTask& task, const TilePlace& place, int tile,
                           TileGradient<kWithDepth>& g, double d_background[3]) {
  namespace hn = hwy::HWY_NAMESPACE;
  const QuadTag d;
  for (int y = 0; y < place.height; ++y) {
    const float* row = task.d_color + 3 * place.pixel(0, y);
    for (int x = 0; x < 3 * place.width; x += 16) __builtin_prefetch(row + x);
  }
  // As the forward pass left it: red, green, blue and T_end of one vector of pixels on end.
  const float* state = task.state + static_cast<int64_t>(tile) * 4 * kTilePixels;
  const auto saved = [&](int plane, int slot) {
    return hn::Load(d, state + (slot / math::kPackLanes * 4 + plane) * math::kPackLanes +
                           slot % math::kPackLanes);
  };
  const auto one = hn::Set(d, 1.0F), zero = hn::Zero(d);
  Quad background[3] = {zero, zero, zero};
  for (int slot = 0; slot < kTilePixels; slot += 4) {
    const PictureQuad quad(place, slot);
    const auto t = saved(3, slot);
    Quad color[3];
    quad.load_color(task.d_color, color[0], color[1], color[2]);
    auto behind = zero;
    auto d_end = task.d_alpha != nullptr ? hn::Neg(quad.load(task.d_alpha)) : zero;  // dL/dT_end
    for (int c = 0; c < 3; ++c) {
      behind = hn::MulAdd(saved(c, slot), color[c], behind);
      d_end = hn::MulAdd(color[c], hn::Set(d, task.background[c]), d_end);
      background[c] = hn::MulAdd(t, color[c], background[c]);
    }
    hn::Store(color[0], d, g.at(kRed, slot));
    hn::Store(color[1], d, g.at(kGreen, slot));
    hn::Store(color[2], d, g.at(kBlue, slot));
    hn::Store(hn::MulAdd(t, d_end, behind), d, g.at(kBehind, slot));
    hn::Store(one, d, g.at(kTransmittance, slot));
    if constexpr (kWithDepth) {
      // depth = (sum w z) / (sum w) where alpha is not 0, so dL/dw = d_sum (z - depth): as if
      // z - depth were blended, whose sum is zero. Terms of z alone would cancel.
      const auto alpha = hn::Sub(one, t);
      const auto seen = hn::Gt(alpha, zero);
      const auto d_sum = hn::IfThenElseZero(
          seen, hn::Div(quad.load(task.d_depth), hn::IfThenElse(seen, alpha, one)));
      hn::Store(d_sum, d, g.at(kDepth, slot));
      hn::Store(quad.load(task.forward_depth), d, g.at(kExpectedDepth, slot));
    }
  }
  for (int c = 0; c < 3; ++c) {
    d_background[c] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, background[c])));
  }
  if (place.whole()) return;
  for (int slot = 0; slot < kTilePixels; ++slot) {
    if (pixel_x(slot) >= place.width || pixel_y(slot) >= place.height) {
      *g.at(kTransmittance, slot) = 0.0F;  // outside the window: done from the start
    }
  }
}

template <bool kWithDepth, bool kAbsolute>
struct Sums {
  Pack red{0.0F}, green{0.0F}, blue{0.0F}, depth{0.0F};
  Pack v{0.0F}, v_dx{0.0F}, v_dy{0.0F}, v_dxdx{0.0F}, v_dxdy{0.0F}, v_dydy{0.0F};
  Pack absolute_x{0.0F}, absolute_y{0.0F};

  HWY_INLINE void store(CpuSplatGradient& out) const {
    math::store_sums_of_lanes(red, green, blue, depth, &out.color[0]);
    math::store_sums_of_lanes(v, v_dx, v_dy, v_dxdx, &out.v);
    math::store_sums_of_lanes(v_dxdy, v_dydy, absolute_x, absolute_y, &out.v_dxdy);
  }
};

template <bool kWithDepth, bool kAbsolute>
HWY_INLINE void accumulate(const CpuSplat& s, Pack alpha, Pack share, size_t unit,
                           TileGradient<kWithDepth>& g, Sums<kWithDepth, kAbsolute>& sums) {
  float* pixels = g.unit(unit);
  const auto plane = [&](int p) { return Pack::load_aligned(pixels + p * math::kPackLanes); };
  const Pack t = plane(kTransmittance);
  const Pack next = math::negative_mul_add(alpha, t, t);
  const PackMask goes_on = next >= Pack(kMinTransmittance);
  const Pack weight = math::zero_unless(goes_on, alpha * t);
  math::zero_unless(goes_on, next).store_aligned(pixels + kTransmittance * math::kPackLanes);

  const Pack red = plane(kRed);
  const Pack green = plane(kGreen);
  const Pack blue = plane(kBlue);
  Pack toward = math::mul_add(Pack(s.color[0]), red,
                              math::mul_add(Pack(s.color[1]), green, Pack(s.color[2]) * blue));
  if constexpr (kWithDepth) {
    const Pack d_depth = plane(kDepth);
    const Pack beyond = Pack(s.depth) - plane(kExpectedDepth);
    toward = math::mul_add(beyond, d_depth, toward);
    sums.depth = math::mul_add(weight, d_depth, sums.depth);
  }
  const Pack behind = math::negative_mul_add(weight, toward, plane(kBehind));
  behind.store_aligned(pixels + kBehind * math::kPackLanes);
  sums.red = math::mul_add(weight, red, sums.red);
  sums.green = math::mul_add(weight, green, sums.green);
  sums.blue = math::mul_add(weight, blue, sums.blue);

  // alpha dL/dalpha = share (T_next (c . g) - behind), where alpha moves.
  const Pack v = math::zero_unless(goes_on, share * math::mul_sub(next, toward, behind));
  const Pack dx = unit_x(unit) - Pack(s.mean_x), dy = unit_y(unit) - Pack(s.mean_y);
  const Pack v_dx = v * dx, v_dy = v * dy;
  sums.v += v;
  sums.v_dx += v_dx;
  sums.v_dy += v_dy;
  sums.v_dxdx = math::mul_add(v_dx, dx, sums.v_dxdx);
  sums.v_dxdy = math::mul_add(v_dx, dy, sums.v_dxdy);
  sums.v_dydy = math::mul_add(v_dy, dy, sums.v_dydy);
  if constexpr (kAbsolute) {
    // dL/dmean of this pixel, over -ln 2.
    const Pack two(2.0F);
    const Pack xy(s.conic_xy);
    sums.absolute_x += abs(math::mul_add(two * Pack(s.conic_xx), v_dx, xy * v_dy));
    sums.absolute_y += abs(math::mul_add(two * Pack(s.conic_yy), v_dy, xy * v_dx));
  }
}

// For each item of the batch alpha, and alpha / (1 - alpha) or 0 where alpha does not move, at its
// ceiling. Three items are under way at once, a third of the chain of operations each.
HWY_INLINE void find_alpha(const PairBatch& batch, float* alpha, float* share) {
  Pack exponent = batch.exponent(1);
  Pack ready = alpha_of(batch.exponent(0));
  for (int k = 0; k < batch.items; ++k) {
    const Pack next_exponent = batch.exponent(k + 2);
    const Pack next_ready = alpha_of(exponent);
    ready.store_aligned(alpha + k * math::kPackLanes);
    math::zero_unless(ready < Pack(kMaxAlpha), ready * math::fast_reciprocal(Pack(1.0F) - ready))
        .store_aligned(share + k * math::kPackLanes);
    ready = next_ready;
    exponent = next_exponent;
  }
}

template <bool kWithDepth, bool kAbsolute>
HWY_INLINE void raster_backward(const RasterBackwardTask& task, int tile, int64_t begin,
                                int64_t end, double d_background[3]) {
  const TilePlace place(tile, task.tiles_x, task.window);
  TileGradient<kWithDepth> g;
  start_tile<kWithDepth>(task, place, tile, g, d_background);
  PairBatch batch;
  alignas(64) float alpha[PairBatch::kMaxItems * math::kPackLanes];
  alignas(64) float share[PairBatch::kMaxItems * math::kPackLanes];
  for (int64_t p = begin; p < end;) {
    const int64_t next = batch.fill(task.splats, task.pair_splat, task.pair_groups, p, end, place);
    find_alpha(batch, alpha, share);
    for (int i = 0; i < batch.pairs; ++i) {
      Sums<kWithDepth, kAbsolute> sums;
      for (int k = batch.first_item[i]; k < batch.first_item[i + 1]; ++k) {
        accumulate(batch.splats[i], Pack::load_aligned(alpha + k * math::kPackLanes),
                   Pack::load_aligned(share + k * math::kPackLanes), batch.unit(k), g, sums);
      }
      sums.store(task.pair_gradient[p + i]);
    }
    p = next;
  }
}

}  // namespace

void raster_tile_backward(const RasterBackwardTask& task, int tile, int64_t begin, int64_t end,
                          double d_background[3]) {
  if (task.d_depth != nullptr) {
    if (task.absolute) {
      raster_backward<true, true>(task, tile, begin, end, d_background);
    } else {
      raster_backward<true, false>(task, tile, begin, end, d_background);
    }
  } else if (task.absolute) {
    raster_backward<false, true>(task, tile, begin, end, d_background);
  } else {
    raster_backward<false, false>(task, tile, begin, end, d_background);
  }
}

}  // namespace TESSERA_ISA
}  // namespace tessera::render
