// Blends a tile's splats front to back.
//
// Splat by splat, over the blocks of pixels that it may touch: the splat's values stay in
// registers, the pixels' in the first-level cache, and neighbouring blocks do not wait for one
// another. A pixel that is done (the next splat would take its transmittance below 1e-4) is marked
// by a negative transmittance. Blocks whose pixels are all done leave the tile's mask every few
// splats. SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_tile.h"
#include "render/gaussian/splat_math.h"

namespace tessera::render {
namespace TESSERA_ISA {
namespace {

constexpr int kStopTestInterval = 16;  // splats between two looks for finished blocks

struct TileState {
  alignas(64) float red[kTilePixels];
  alignas(64) float green[kTilePixels];
  alignas(64) float blue[kTilePixels];
  alignas(64) float transmittance[kTilePixels];
};

struct TileExtras {
  alignas(64) float weight[kTilePixels];  // what 1 - transmittance would lose where it is small
  alignas(64) float depth[kTilePixels];
  alignas(64) float depth2[kTilePixels];
  alignas(64) float median[kTilePixels];
  alignas(64) float normal[3][kTilePixels];
};

HWY_INLINE uint32_t unfinished_blocks(const TileState& state) {
  const Pack zero(0.0F);
  uint32_t blocks = 0;
  for (int unit = 0; unit < kUnits; ++unit) {
    const Pack t = Pack::load_aligned(state.transmittance + unit * math::kPackLanes);
    blocks |= static_cast<uint32_t>(!math::none(t > zero)) << (unit / kUnitsPerBlock);
  }
  return blocks;
}

// A splat's values on all lanes, its mean relative to the tile.
struct SplatLanes {
  Pack mean_x, mean_y;
  Sym2<Pack> conic2;
  Pack log2_opacity, red, green, blue;

  HWY_INLINE SplatLanes(const CpuSplat& s, float left, float top)
      : mean_x(s.mean_x - left),
        mean_y(s.mean_y - top),
        conic2{Pack(s.conic_xx), Pack(s.conic_xy), Pack(s.conic_yy)},
        log2_opacity(s.log2_opacity),
        red(s.color[0]),
        green(s.color[1]),
        blue(s.color[2]) {}
};

template <bool kExtras>
HWY_INLINE PackMask blend(const SplatLanes& s, const CpuSplat& splat, int at, TileState& state,
                          TileExtras* extras) {
  const Pack dx = Pack::load_aligned(kTileCoordinates.x + at) - s.mean_x;
  const Pack dy = Pack::load_aligned(kTileCoordinates.y + at) - s.mean_y;
  const Pack exponent = log2_alpha(s.conic2, s.log2_opacity, dx, dy);
  const PackMask inside = exponent >= Pack(kLog2MinAlpha);
  const Pack alpha = min(Pack(kMaxAlpha), math::fast_exp2(exponent));
  const Pack t = Pack::load_aligned(state.transmittance + at);
  const Pack next = math::negative_mul_add(alpha, t, t);
  const PackMask blended = mask_and(inside, next >= Pack(kMinTransmittance));
  const Pack weight = math::zero_unless(blended, alpha * t);
  math::mul_add(weight, s.red, Pack::load_aligned(state.red + at)).store_aligned(state.red + at);
  math::mul_add(weight, s.green, Pack::load_aligned(state.green + at))
      .store_aligned(state.green + at);
  math::mul_add(weight, s.blue, Pack::load_aligned(state.blue + at)).store_aligned(state.blue + at);
  select(blended, next, select(inside, -abs(t), t)).store_aligned(state.transmittance + at);
  if constexpr (kExtras) {
    const Pack z(splat.depth), half(0.5F);
    const auto add = [&](float* sum, Pack value) {
      math::mul_add(weight, value, Pack::load_aligned(sum + at)).store_aligned(sum + at);
    };
    add(extras->weight, Pack(1.0F));
    add(extras->depth, z);
    add(extras->depth2, z * z);
    for (int c = 0; c < 3; ++c) add(extras->normal[c], Pack(splat.normal[c]));
    const PackMask crossed = mask_and(blended, mask_and(t >= half, next < half));
    select(crossed, z, Pack::load_aligned(extras->median + at)).store_aligned(extras->median + at);
  }
  return blended;
}

HWY_INLINE void start_tile(const TilePlace& place, TileState& state) {
  for (int slot = 0; slot < kTilePixels; ++slot) {
    state.red[slot] = 0.0F;
    state.green[slot] = 0.0F;
    state.blue[slot] = 0.0F;
    state.transmittance[slot] = 1.0F;
  }
  if (place.whole()) return;
  for (int slot = 0; slot < kTilePixels; ++slot) {
    if (pixel_x(slot) >= place.width || pixel_y(slot) >= place.height) {
      state.transmittance[slot] = -1.0F;  // outside the picture: done from the start
    }
  }
}

HWY_INLINE void write_tile(const RasterTask& task, const TilePlace& place, int tile,
                           TileState& state) {
  float* saved = task.state + static_cast<int64_t>(tile) * 4 * kTilePixels;
  for (int at = 0; at < kTilePixels; at += math::kPackLanes) {
    Pack::load_aligned(state.red + at).store_aligned(saved + at);
    Pack::load_aligned(state.green + at).store_aligned(saved + kTilePixels + at);
    Pack::load_aligned(state.blue + at).store_aligned(saved + 2 * kTilePixels + at);
    const Pack t = abs(Pack::load_aligned(state.transmittance + at));
    t.store_aligned(saved + 3 * kTilePixels + at);
    t.store_aligned(state.transmittance + at);
  }
  namespace hn = hwy::HWY_NAMESPACE;
  const QuadTag d;
  for (int quad = 0; quad < kTilePixels; quad += 4) {
    const int64_t pixel =
        static_cast<int64_t>(place.top + pixel_y(quad)) * task.width + place.left + pixel_x(quad);
    const auto t = hn::Load(d, state.transmittance + quad);
    const auto color = [&](const float* sum, int c) {
      return hn::MulAdd(t, hn::Set(d, task.background[c]), hn::Load(d, sum + quad));
    };
    const auto red = color(state.red, 0), green = color(state.green, 1),
               blue = color(state.blue, 2);
    const auto alpha = hn::Sub(hn::Set(d, 1.0F), t);
    if (place.has_quad(quad)) {
      hn::StoreInterleaved3(red, green, blue, d, task.color + 3 * pixel);
      hn::StoreU(alpha, d, task.alpha + pixel);
      continue;
    }
    alignas(16) float colors[12];
    alignas(16) float alphas[4];
    hn::StoreInterleaved3(red, green, blue, d, colors);
    hn::Store(alpha, d, alphas);
    for (int k = 0; k < 4; ++k) {
      if (pixel_x(quad + k) >= place.width || pixel_y(quad) >= place.height) break;
      for (int c = 0; c < 3; ++c) task.color[3 * (pixel + k) + c] = colors[3 * k + c];
      task.alpha[pixel + k] = alphas[k];
    }
  }
}

HWY_INLINE void write_extras(const RasterTask& task, const TilePlace& place,
                             const TileExtras& extras) {
  for (int slot = 0; slot < kTilePixels; ++slot) {
    const int x = pixel_x(slot), y = pixel_y(slot);
    if (x >= place.width || y >= place.height) continue;
    const int64_t pixel = static_cast<int64_t>(place.top + y) * task.width + place.left + x;
    if (task.depth != nullptr) {
      const float weight = extras.weight[slot];
      const float inverse = weight > 0.0F ? 1.0F / weight : 0.0F;
      const float depth = extras.depth[slot] * inverse;
      const float variance = extras.depth2[slot] * inverse - depth * depth;
      task.depth[pixel] = depth;
      task.depth_variance[pixel] = variance > 0.0F ? variance : 0.0F;
      task.median_depth[pixel] = extras.median[slot];
    }
    if (task.normal != nullptr) {
      for (int c = 0; c < 3; ++c) task.normal[3 * pixel + c] = extras.normal[c][slot];
    }
  }
}

template <bool kExtras>
HWY_INLINE int64_t raster(const RasterTask& task, int tile, int64_t begin, int64_t end,
                          TileExtras* extras) {
  const TilePlace place(tile, task.tiles_x, task.width, task.height);
  const float left = static_cast<float>(place.left), top = static_cast<float>(place.top);
  TileState state;
  start_tile(place, state);
  uint32_t alive = unfinished_blocks(state);
  int64_t units = 0;
  int64_t p = begin;
  for (; p < end && alive != 0; ++p) {
    prefetch_splat(task.splats, task.pair_splat, p, end);
    if ((p - begin) % kStopTestInterval == kStopTestInterval - 1) alive &= unfinished_blocks(state);
    uint32_t blocks = blocks_of_groups(task.pair_groups[p]) & alive;
    const CpuSplat& splat = task.splats[task.pair_splat[p]];
    const SplatLanes lanes(splat, left, top);
    uint32_t blended_blocks = 0;
    units += __builtin_popcount(blocks);
    while (blocks != 0) {
      const int block = __builtin_ctz(blocks);
      blocks &= blocks - 1;
      bool any = false;
      for (int part = 0; part < kUnitsPerBlock; ++part) {
        const int at = block * kBlockPixels + part * math::kPackLanes;
        any |= !math::none(blend<kExtras>(lanes, splat, at, state, extras));
      }
      blended_blocks |= static_cast<uint32_t>(any) << block;
    }
    task.pair_groups[p] = groups_of_blocks(blended_blocks);
  }
  for (; p < end; ++p) task.pair_groups[p] = 0;
  write_tile(task, place, tile, state);
  if constexpr (kExtras) write_extras(task, place, *extras);
  return units * kBlockPixels;
}

}  // namespace

int64_t raster_tile(const RasterTask& task, int tile, int64_t begin, int64_t end) {
  return raster<false>(task, tile, begin, end, nullptr);
}

int64_t raster_tile_extras(const RasterTask& task, int tile, int64_t begin, int64_t end) {
  TileExtras extras = {};
  return raster<true>(task, tile, begin, end, &extras);
}

}  // namespace TESSERA_ISA
}  // namespace tessera::render
