// Gradients of a tile's splats, front to back as they were blended.
//
// With S_i the part of (colour . dL/dcolour) that lies behind splat i,
//   dL/dalpha_i = T_i (c_i . g) - S_i / (1 - alpha_i).
// Walking in the forward order repeats its transmittances and its decisions bit for bit, and S_i is
// the total less what was blended so far; no per-pixel list or last index is kept. Sums over pixels
// stay in vectors until the splat is finished with the tile: no atomics, few horizontal sums.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_tile.h"
#include "render/gaussian/splat_math.h"

namespace tessera::render {
inline namespace TESSERA_ISA {
namespace {

// kDepth: dL/d(sum w z); kExpectedDepth: as forward gave it.
constexpr int kRed = 0, kGreen = 1, kBlue = 2, kBehind = 3, kTransmittance = 4, kDepth = 5,
              kExpectedDepth = 6;
using TileGradient = TilePlanes<7>;

using Quad = hwy::HWY_NAMESPACE::Vec<QuadTag>;

// dL/d of four pixels of a row; zero for those outside the picture.
struct QuadGradient {
  Quad color[3];
  Quad alpha, depth, forward_depth;

  HWY_INLINE QuadGradient(const RasterBackwardTask& task, const TilePlace& place, int quad) {
    namespace hn = hwy::HWY_NAMESPACE;
    const QuadTag d;
    const int64_t pixel =
        static_cast<int64_t>(place.top + pixel_y(quad)) * task.width + place.left + pixel_x(quad);
    const bool whole = place.has_quad(quad);
    const int inside = pixel_y(quad) >= place.height ? 0 : place.width - pixel_x(quad);
    const auto load = [&](const float* picture) {
      if (picture == nullptr) return hn::Zero(d);
      if (whole) return hn::LoadU(d, picture + pixel);
      alignas(16) float values[4] = {};
      for (int k = 0; k < inside && k < 4; ++k) values[k] = picture[pixel + k];
      return hn::Load(d, values);
    };
    if (whole) {
      hn::LoadInterleaved3(d, task.d_color + 3 * pixel, color[0], color[1], color[2]);
    } else {
      alignas(16) float values[12] = {};
      for (int k = 0; k < 3 * inside && k < 12; ++k) values[k] = task.d_color[3 * pixel + k];
      hn::LoadInterleaved3(d, values, color[0], color[1], color[2]);
    }
    alpha = load(task.d_alpha);
    depth = load(task.d_depth);
    forward_depth = load(task.d_depth != nullptr ? task.forward_depth : nullptr);
  }
};

// Loads dL/d of the tile's pixels, and what of the colour lies behind the first splat: all.
HWY_INLINE void start_tile(const RasterBackwardTask& task, const TilePlace& place, int tile,
                           TileGradient& g, double d_background[3]) {
  namespace hn = hwy::HWY_NAMESPACE;
  const QuadTag d;
  // As the forward pass left it: red, green, blue and T_end of one vector of pixels on end.
  const float* state = task.state + static_cast<int64_t>(tile) * 4 * kTilePixels;
  const auto saved = [&](int plane, int slot) {
    return state + (slot / math::kPackLanes * 4 + plane) * math::kPackLanes +
           slot % math::kPackLanes;
  };
  const auto one = hn::Set(d, 1.0F), zero = hn::Zero(d);
  Quad background[3] = {zero, zero, zero};
  for (int quad = 0; quad < kTilePixels; quad += 4) {
    const QuadGradient q(task, place, quad);
    const auto t = hn::Load(d, saved(3, quad));
    // depth = (sum w z) / (sum w) where alpha is not 0, so dL/dw = d_sum (z - depth): as if z -
    // depth were blended, whose sum is zero. Terms of z alone would cancel.
    const auto alpha = hn::Sub(one, t);
    const auto seen = hn::Gt(alpha, zero);
    const auto d_sum = hn::IfThenElseZero(seen, hn::Div(q.depth, hn::IfThenElse(seen, alpha, one)));
    auto behind = zero;
    auto d_end = hn::Neg(q.alpha);  // dL/dT_end
    for (int c = 0; c < 3; ++c) {
      behind = hn::MulAdd(hn::Load(d, saved(c, quad)), q.color[c], behind);
      d_end = hn::MulAdd(q.color[c], hn::Set(d, task.background[c]), d_end);
      background[c] = hn::MulAdd(t, q.color[c], background[c]);
    }
    hn::Store(q.color[0], d, g.at(kRed, quad));
    hn::Store(q.color[1], d, g.at(kGreen, quad));
    hn::Store(q.color[2], d, g.at(kBlue, quad));
    hn::Store(d_sum, d, g.at(kDepth, quad));
    hn::Store(q.forward_depth, d, g.at(kExpectedDepth, quad));
    hn::Store(hn::MulAdd(t, d_end, behind), d, g.at(kBehind, quad));
    hn::Store(one, d, g.at(kTransmittance, quad));
  }
  for (int c = 0; c < 3; ++c) {
    d_background[c] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, background[c])));
  }
  if (place.whole()) return;
  for (int slot = 0; slot < kTilePixels; ++slot) {
    if (pixel_x(slot) >= place.width || pixel_y(slot) >= place.height) {
      *g.at(kTransmittance, slot) = -1.0F;  // outside the picture: done from the start
    }
  }
}

template <bool kWithDepth, bool kAbsolute>
struct Sums {
  Pack red{0.0F}, green{0.0F}, blue{0.0F}, depth{0.0F};
  Pack v{0.0F}, v_dx{0.0F}, v_dy{0.0F}, v_dxdx{0.0F}, v_dxdy{0.0F}, v_dydy{0.0F};
  Pack absolute_x{0.0F}, absolute_y{0.0F};

  HWY_INLINE void store(CpuSplatGradient& out) const {
    out.color[0] = math::sum_of_lanes(red);
    out.color[1] = math::sum_of_lanes(green);
    out.color[2] = math::sum_of_lanes(blue);
    out.depth = kWithDepth ? math::sum_of_lanes(depth) : 0.0F;
    out.v = math::sum_of_lanes(v);
    out.v_dx = math::sum_of_lanes(v_dx);
    out.v_dy = math::sum_of_lanes(v_dy);
    out.v_dxdx = math::sum_of_lanes(v_dxdx);
    out.v_dxdy = math::sum_of_lanes(v_dxdy);
    out.v_dydy = math::sum_of_lanes(v_dydy);
    out.absolute_x = kAbsolute ? math::sum_of_lanes(absolute_x) : 0.0F;
    out.absolute_y = kAbsolute ? math::sum_of_lanes(absolute_y) : 0.0F;
  }
};

// What of a unit's pixels does not depend on the splats before.
struct UnitAlpha {
  Pack dx, dy;
  Pack alpha;    // 0 where the splat is skipped
  Pack inverse;  // 1 / (1 - alpha); 0 where alpha does not move, at its ceiling
};

HWY_INLINE UnitAlpha alpha_at(const CpuSplat& s, float left, float top, int unit) {
  const Sym2<Pack> conic2 = {Pack(s.conic_xx), Pack(s.conic_xy), Pack(s.conic_yy)};
  const float* coordinates = kTileCoordinates.values + unit * 2 * math::kPackLanes;
  UnitAlpha a;
  a.dx = Pack::load_aligned(coordinates) - Pack(s.mean_x - left);
  a.dy = Pack::load_aligned(coordinates + math::kPackLanes) - Pack(s.mean_y - top);
  const Pack exponent = log2_alpha(conic2, Pack(s.log2_opacity), a.dx, a.dy);
  a.alpha = math::zero_unless(exponent >= Pack(kLog2MinAlpha),
                              min(Pack(kMaxAlpha), math::fast_exp2(exponent)));
  a.inverse = math::zero_unless(exponent < Pack(kLog2MaxAlpha),
                                math::fast_reciprocal(Pack(1.0F) - a.alpha));
  return a;
}

template <bool kWithDepth, bool kAbsolute>
HWY_INLINE void accumulate(const CpuSplat& s, const UnitAlpha& a, int unit, TileGradient& g,
                           Sums<kWithDepth, kAbsolute>& sums) {
  float* pixels = g.unit(unit);
  const auto plane = [&](int p) { return Pack::load_aligned(pixels + p * math::kPackLanes); };
  const Pack t = plane(kTransmittance);
  const Pack next = math::negative_mul_add(a.alpha, t, t);
  const PackMask goes_on = next >= Pack(kMinTransmittance);
  const Pack weight = math::zero_unless(goes_on, a.alpha * t);
  select(goes_on, next, math::negative_abs(t))
      .store_aligned(pixels + kTransmittance * math::kPackLanes);

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

  // alpha dL/dalpha = weight (c . g) - behind alpha / (1 - alpha); weight has the mask, behind not.
  const Pack share = math::zero_unless(goes_on, a.alpha * a.inverse);
  const Pack moves = select(a.inverse > Pack(0.0F), weight, Pack(0.0F));
  const Pack v = math::negative_mul_add(behind, share, moves * toward);
  const Pack v_dx = v * a.dx, v_dy = v * a.dy;
  sums.v += v;
  sums.v_dx += v_dx;
  sums.v_dy += v_dy;
  sums.v_dxdx = math::mul_add(v_dx, a.dx, sums.v_dxdx);
  sums.v_dxdy = math::mul_add(v_dx, a.dy, sums.v_dxdy);
  sums.v_dydy = math::mul_add(v_dy, a.dy, sums.v_dydy);
  if constexpr (kAbsolute) {
    // dL/dmean of this pixel, over -ln 2.
    const Pack two(2.0F);
    const Sym2<Pack> conic2 = {Pack(s.conic_xx), Pack(s.conic_xy), Pack(s.conic_yy)};
    sums.absolute_x += abs(math::mul_add(two * conic2.xx, v_dx, conic2.xy * v_dy));
    sums.absolute_y += abs(math::mul_add(two * conic2.yy, v_dy, conic2.xy * v_dx));
  }
}

template <bool kWithDepth, bool kAbsolute>
HWY_INLINE void raster_backward(const RasterBackwardTask& task, int tile, int64_t begin,
                                int64_t end, double d_background[3]) {
  const TilePlace place(tile, task.tiles_x, task.width, task.height);
  const float left = static_cast<float>(place.left), top = static_cast<float>(place.top);
  TileGradient g;
  start_tile(task, place, tile, g, d_background);
  for (int64_t p = begin; p < end; ++p) {
    prefetch_splat(task.splats, task.pair_splat, p, end);
    uint32_t blocks = blocks_of_groups(task.pair_groups[p]);
    if (blocks == 0) {
      task.pair_gradient[p] = CpuSplatGradient{};
      continue;
    }
    const CpuSplat& splat = task.splats[task.pair_splat[p]];
    Sums<kWithDepth, kAbsolute> sums;
    for_each_unit(
        blocks, [&](int unit) { return alpha_at(splat, left, top, unit); },
        [&](int unit, const UnitAlpha& a) { accumulate(splat, a, unit, g, sums); });
    sums.store(task.pair_gradient[p]);
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
