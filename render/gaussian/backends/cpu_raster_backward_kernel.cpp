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
namespace TESSERA_ISA {
namespace {

struct TileGradient {
  alignas(64) float red[kTilePixels];
  alignas(64) float green[kTilePixels];
  alignas(64) float blue[kTilePixels];
  alignas(64) float depth[kTilePixels];
  alignas(64) float behind[kTilePixels];
  alignas(64) float transmittance[kTilePixels];
};

// Loads dL/d of the tile's pixels, and what of the colour lies behind the first splat: all.
HWY_INLINE void start_tile(const RasterBackwardTask& task, const TilePlace& place, int tile,
                           TileGradient& g, double d_background[3]) {
  const float* state = task.state + static_cast<int64_t>(tile) * 4 * kTilePixels;
  float background[3] = {0.0F, 0.0F, 0.0F};
  for (int slot = 0; slot < kTilePixels; ++slot) {
    const int x = pixel_x(slot), y = pixel_y(slot);
    g.depth[slot] = 0.0F;
    if (x >= place.width || y >= place.height) {
      g.red[slot] = g.green[slot] = g.blue[slot] = g.behind[slot] = 0.0F;
      g.transmittance[slot] = -1.0F;
      continue;
    }
    const int64_t pixel = static_cast<int64_t>(place.top + y) * task.width + place.left + x;
    const float* d = task.d_color + 3 * pixel;
    const float t = state[3 * kTilePixels + slot];
    float d_alpha = task.d_alpha != nullptr ? task.d_alpha[pixel] : 0.0F;
    float behind = state[slot] * d[0] + state[kTilePixels + slot] * d[1] +
                   state[2 * kTilePixels + slot] * d[2];
    if (task.d_depth != nullptr && t < 1.0F) {
      // depth = (sum w z) / alpha
      const float d_sum = task.d_depth[pixel] / (1.0F - t);
      const float depth = task.forward_depth[pixel];
      g.depth[slot] = d_sum;
      behind += depth * task.d_depth[pixel];
      d_alpha -= d_sum * depth;
    }
    behind += t * (d[0] * task.background[0] + d[1] * task.background[1] +
                   d[2] * task.background[2] - d_alpha);
    g.red[slot] = d[0];
    g.green[slot] = d[1];
    g.blue[slot] = d[2];
    g.behind[slot] = behind;
    g.transmittance[slot] = 1.0F;
    for (int c = 0; c < 3; ++c) background[c] += t * d[c];
  }
  for (int c = 0; c < 3; ++c) d_background[c] += background[c];
}

template <bool kDepth, bool kAbsolute>
struct Sums {
  Pack red{0.0F}, green{0.0F}, blue{0.0F}, depth{0.0F};
  Pack v{0.0F}, v_dx{0.0F}, v_dy{0.0F}, v_dxdx{0.0F}, v_dxdy{0.0F}, v_dydy{0.0F};
  Pack absolute_x{0.0F}, absolute_y{0.0F};

  HWY_INLINE void store(CpuSplatGradient& out) const {
    out.color[0] = math::sum_of_lanes(red);
    out.color[1] = math::sum_of_lanes(green);
    out.color[2] = math::sum_of_lanes(blue);
    out.depth = kDepth ? math::sum_of_lanes(depth) : 0.0F;
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

template <bool kDepth, bool kAbsolute>
HWY_INLINE void accumulate(const CpuSplat& s, float left, float top, int at, TileGradient& g,
                           Sums<kDepth, kAbsolute>& sums) {
  const Sym2<Pack> conic2 = {Pack(s.conic_xx), Pack(s.conic_xy), Pack(s.conic_yy)};
  const Pack dx = Pack::load_aligned(kTileCoordinates.x + at) - Pack(s.mean_x - left);
  const Pack dy = Pack::load_aligned(kTileCoordinates.y + at) - Pack(s.mean_y - top);
  const Pack exponent = log2_alpha(conic2, Pack(s.log2_opacity), dx, dy);
  const PackMask inside = exponent >= Pack(kLog2MinAlpha);
  const Pack alpha = min(Pack(kMaxAlpha), math::fast_exp2(exponent));
  const Pack t = Pack::load_aligned(g.transmittance + at);
  const Pack next = math::negative_mul_add(alpha, t, t);
  const PackMask blended = mask_and(inside, next >= Pack(kMinTransmittance));
  const Pack weight = math::zero_unless(blended, alpha * t);
  select(blended, next, select(inside, -abs(t), t)).store_aligned(g.transmittance + at);

  const Pack red = Pack::load_aligned(g.red + at);
  const Pack green = Pack::load_aligned(g.green + at);
  const Pack blue = Pack::load_aligned(g.blue + at);
  Pack toward = math::mul_add(Pack(s.color[0]), red,
                              math::mul_add(Pack(s.color[1]), green, Pack(s.color[2]) * blue));
  if constexpr (kDepth) {
    const Pack d_depth = Pack::load_aligned(g.depth + at);
    toward = math::mul_add(Pack(s.depth), d_depth, toward);
    sums.depth = math::mul_add(weight, d_depth, sums.depth);
  }
  const Pack behind = math::negative_mul_add(weight, toward, Pack::load_aligned(g.behind + at));
  behind.store_aligned(g.behind + at);
  sums.red = math::mul_add(weight, red, sums.red);
  sums.green = math::mul_add(weight, green, sums.green);
  sums.blue = math::mul_add(weight, blue, sums.blue);

  const Pack inverse = math::fast_reciprocal(Pack(1.0F) - alpha);
  const Pack d_alpha = math::negative_mul_add(behind, inverse, t * toward);
  // At its ceiling alpha does not move.
  const Pack v =
      math::zero_unless(mask_and(blended, exponent < Pack(kLog2MaxAlpha)), alpha * d_alpha);
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
    sums.absolute_x += abs(math::mul_add(two * conic2.xx, v_dx, conic2.xy * v_dy));
    sums.absolute_y += abs(math::mul_add(two * conic2.yy, v_dy, conic2.xy * v_dx));
  }
}

template <bool kDepth, bool kAbsolute>
HWY_INLINE void raster_backward(const RasterBackwardTask& task, int tile, int64_t begin,
                                int64_t end, double d_background[3]) {
  const TilePlace place(tile, task.tiles_x, task.width, task.height);
  const float left = static_cast<float>(place.left), top = static_cast<float>(place.top);
  TileGradient g;
  start_tile(task, place, tile, g, d_background);
  for (int64_t p = begin; p < end; ++p) {
    uint32_t blocks = blocks_of_groups(task.pair_groups[p]);
    if (blocks == 0) {
      task.pair_gradient[p] = CpuSplatGradient{};
      continue;
    }
    const CpuSplat& splat = task.splats[task.pair_splat[p]];
    Sums<kDepth, kAbsolute> sums;
    while (blocks != 0) {
      const int block = __builtin_ctz(blocks);
      blocks &= blocks - 1;
      for (int part = 0; part < kUnitsPerBlock; ++part) {
        accumulate(splat, left, top, block * kBlockPixels + part * math::kPackLanes, g, sums);
      }
    }
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
