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
inline namespace TESSERA_ISA {
namespace {

constexpr int kStopTestInterval = 16;  // splats between two looks for finished blocks

constexpr int kRed = 0, kGreen = 1, kBlue = 2, kTransmittance = 3;
using TileState = TilePlanes<4>;

// kWeight: what 1 - transmittance would lose where it is small.
constexpr int kWeight = 0, kDepth = 1, kDepth2 = 2, kMedian = 3, kNormal = 4;
using TileExtras = TilePlanes<7>;

HWY_INLINE uint32_t unfinished_blocks(TileState& state) {
  const Pack zero(0.0F);
  uint32_t blocks = 0;
  for (int unit = 0; unit < kUnits; ++unit) {
    const Pack t = Pack::load_aligned(state.unit(unit) + kTransmittance * math::kPackLanes);
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

// sum[plane] += weight value
HWY_INLINE void add_plane(float* unit, int plane, Pack weight, Pack value) {
  float* at = unit + plane * math::kPackLanes;
  math::mul_add(weight, value, Pack::load_aligned(at)).store_aligned(at);
}

// The splat's alpha at a unit's pixels, 0 where it is skipped.
HWY_INLINE Pack alpha_at(const SplatLanes& s, int unit) {
  const float* coordinates = kTileCoordinates.values + unit * 2 * math::kPackLanes;
  const Pack dx = Pack::load_aligned(coordinates) - s.mean_x;
  const Pack dy = Pack::load_aligned(coordinates + math::kPackLanes) - s.mean_y;
  const Pack exponent = log2_alpha(s.conic2, s.log2_opacity, dx, dy);
  return math::zero_unless(exponent >= Pack(kLog2MinAlpha),
                           min(Pack(kMaxAlpha), math::fast_exp2(exponent)));
}

// Blends the splat into a unit's pixels and says whether any took it.
template <bool kExtras>
HWY_INLINE bool blend(const SplatLanes& s, const CpuSplat& splat, Pack alpha, int unit,
                      TileState& state, TileExtras* extras) {
  float* pixels = state.unit(unit);
  float* transmittance = pixels + kTransmittance * math::kPackLanes;
  const Pack t = Pack::load_aligned(transmittance);
  // Where alpha is 0, next is t: a pixel that goes on does so, a finished one stays finished.
  const Pack next = math::negative_mul_add(alpha, t, t);
  const PackMask goes_on = next >= Pack(kMinTransmittance);
  const Pack weight = math::zero_unless(goes_on, alpha * t);
  add_plane(pixels, kRed, weight, s.red);
  add_plane(pixels, kGreen, weight, s.green);
  add_plane(pixels, kBlue, weight, s.blue);
  select(goes_on, next, math::negative_abs(t)).store_aligned(transmittance);
  if constexpr (kExtras) {
    const Pack z(splat.depth), half(0.5F);
    float* more = extras->unit(unit);
    add_plane(more, kWeight, weight, Pack(1.0F));
    add_plane(more, kDepth, weight, z);
    add_plane(more, kDepth2, weight, z * z);
    for (int c = 0; c < 3; ++c) add_plane(more, kNormal + c, weight, Pack(splat.normal[c]));
    const PackMask crossed = mask_and(goes_on, mask_and(t >= half, next < half));
    float* median = more + kMedian * math::kPackLanes;
    select(crossed, z, Pack::load_aligned(median)).store_aligned(median);
  }
  return !math::none(weight > Pack(0.0F));
}

HWY_INLINE void start_tile(const TilePlace& place, TileState& state) {
  const Pack zero(0.0F), one(1.0F);
  for (int unit = 0; unit < kUnits; ++unit) {
    float* pixels = state.unit(unit);
    zero.store_aligned(pixels + kRed * math::kPackLanes);
    zero.store_aligned(pixels + kGreen * math::kPackLanes);
    zero.store_aligned(pixels + kBlue * math::kPackLanes);
    one.store_aligned(pixels + kTransmittance * math::kPackLanes);
  }
  if (place.whole()) return;
  for (int slot = 0; slot < kTilePixels; ++slot) {
    if (pixel_x(slot) >= place.width || pixel_y(slot) >= place.height) {
      *state.at(kTransmittance, slot) = -1.0F;  // outside the picture: done from the start
    }
  }
}

HWY_INLINE void write_tile(const RasterTask& task, const TilePlace& place, int tile,
                           TileState& state) {
  float* saved = task.state + static_cast<int64_t>(tile) * 4 * kTilePixels;
  for (int unit = 0; unit < kUnits; ++unit) {
    float* transmittance = state.unit(unit) + kTransmittance * math::kPackLanes;
    abs(Pack::load_aligned(transmittance)).store_aligned(transmittance);
  }
  for (int at = 0; at < 4 * kTilePixels; at += math::kPackLanes) {
    Pack::load_aligned(state.values + at).store_aligned(saved + at);
  }
  namespace hn = hwy::HWY_NAMESPACE;
  const QuadTag d;
  for (int quad = 0; quad < kTilePixels; quad += 4) {
    const int64_t pixel =
        static_cast<int64_t>(place.top + pixel_y(quad)) * task.width + place.left + pixel_x(quad);
    const auto t = hn::Load(d, state.at(kTransmittance, quad));
    const auto color = [&](int c) {
      return hn::MulAdd(t, hn::Set(d, task.background[c]), hn::Load(d, state.at(c, quad)));
    };
    const auto red = color(kRed), green = color(kGreen), blue = color(kBlue);
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

HWY_INLINE void write_extras(const RasterTask& task, const TilePlace& place, TileExtras& extras) {
  for (int slot = 0; slot < kTilePixels; ++slot) {
    const int x = pixel_x(slot), y = pixel_y(slot);
    if (x >= place.width || y >= place.height) continue;
    const int64_t pixel = static_cast<int64_t>(place.top + y) * task.width + place.left + x;
    if (task.depth != nullptr) {
      const float weight = *extras.at(kWeight, slot);
      const float inverse = weight > 0.0F ? 1.0F / weight : 0.0F;
      const float depth = *extras.at(kDepth, slot) * inverse;
      const float variance = *extras.at(kDepth2, slot) * inverse - depth * depth;
      task.depth[pixel] = depth;
      task.depth_variance[pixel] = variance > 0.0F ? variance : 0.0F;
      task.median_depth[pixel] = *extras.at(kMedian, slot);
    }
    if (task.normal != nullptr) {
      for (int c = 0; c < 3; ++c) task.normal[3 * pixel + c] = *extras.at(kNormal + c, slot);
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
    units += __builtin_popcount(blocks);
    uint32_t blended_blocks = 0;
    for_each_unit(
        blocks, [&](int unit) { return alpha_at(lanes, unit); },
        [&](int unit, Pack alpha) {
          const bool any = blend<kExtras>(lanes, splat, alpha, unit, state, extras);
          blended_blocks |= static_cast<uint32_t>(any) << (unit / kUnitsPerBlock);
        });
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
