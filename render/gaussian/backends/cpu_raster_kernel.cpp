// Blends a tile's splats front to back.
//
// Unit by unit (one vector of pixels): what the unit has gathered stays in registers while the
// splats that touch it pass by, until all its pixels are done. A pixel that is done (the next splat
// would take its transmittance below 1e-4) is marked by a negative transmittance.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "render/gaussian/backends/bits.h"
#include "render/gaussian/backends/cpu_tile.h"

namespace tessera::render {
inline namespace TESSERA_ISA {
namespace {

constexpr int kChunk = 128;            // pairs that are met before the next unit has its turn
constexpr int kStopTestInterval = 16;  // splats between two looks whether a unit is done

constexpr int kRed = 0, kGreen = 1, kBlue = 2, kTransmittance = 3;
using TileState = TilePlanes<4>;

// kWeight: what 1 - transmittance would lose where it is small.
constexpr int kWeight = 0, kDepth = 1, kDepth2 = 2, kMedian = 3, kNormal = 4;
using TileExtras = TilePlanes<7>;

// Pairs of a tile on end, and of each group those that touch it.
struct Chunk {
  static constexpr int kWords = kChunk / 64;

  int pairs;
  CpuSplat splats[kChunk];  // their means relative to the tile
  alignas(64) uint32_t groups[kChunk];
  uint64_t touching[kGroups][kWords];  // of each group a bit per pair

  HWY_INLINE Chunk(const RasterTask& task, const TilePlace& place, int64_t begin, int64_t end)
      : pairs(static_cast<int>(end - begin)) {
    for (int k = 0; k < pairs; ++k) {
      prefetch_splat(task.splats, task.pair_splat, begin + k, end);
      splats[k] = relative_to_tile(task.splats[task.pair_splat[begin + k]], place);
      groups[k] = task.pair_groups[begin + k];
    }
    for (int k = pairs; k < kChunk; ++k) groups[k] = 0;
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::RebindToSigned<math::PackTag> d;
    for (int group = 0; group < kGroups; ++group) {
      for (uint64_t& word : touching[group]) word = 0;
      for (int k = 0; k < kChunk; k += math::kPackLanes) {
        const auto top_bit =
            hn::ShiftLeftSame(hn::Load(d, reinterpret_cast<int32_t*>(groups) + k), 31 - group);
        const math::PackMask mask = {hn::RebindMask(math::PackTag(), hn::Lt(top_bit, hn::Zero(d)))};
        touching[group][k / 64] |= static_cast<uint64_t>(math::bits_of(mask)) << k % 64;
      }
    }
  }

  // The same of a unit.
  HWY_INLINE uint64_t touching_unit(int unit, int word) const {
    if constexpr (kBlockRows == 4) {
      const int group = unit % 4 + unit / 4 * 8;
      return touching[group][word] | touching[group + 4][word];
    } else {
      return touching[unit / kUnitsPerBlock][word];
    }
  }
};

// What a unit of pixels has gathered.
template <bool kExtras>
struct UnitState {
  Pack color[3];
  Pack transmittance;
  Pack extras[kExtras ? 7 : 1];

  HWY_INLINE UnitState(TileState& state, TileExtras* more, int unit) {
    for (int c = 0; c < 3; ++c) color[c] = plane(state.unit(unit), c);
    transmittance = plane(state.unit(unit), kTransmittance);
    if constexpr (kExtras) {
      for (int p = 0; p < 7; ++p) extras[p] = plane(more->unit(unit), p);
    }
  }
  HWY_INLINE void store(TileState& state, TileExtras* more, int unit) const {
    for (int c = 0; c < 3; ++c) color[c].store_aligned(at(state.unit(unit), c));
    transmittance.store_aligned(at(state.unit(unit), kTransmittance));
    if constexpr (kExtras) {
      for (int p = 0; p < 7; ++p) extras[p].store_aligned(at(more->unit(unit), p));
    }
  }
  HWY_INLINE bool done() const { return math::none(transmittance > Pack(0.0F)); }

  HWY_INLINE void blend(const CpuSplat& s, Pack alpha) {
    const Pack t = transmittance;
    // Where alpha is 0, next is t: a pixel that goes on does so, a finished one stays finished.
    const Pack next = math::negative_mul_add(alpha, t, t);
    const PackMask goes_on = next >= Pack(kMinTransmittance);
    const Pack weight = math::zero_unless(goes_on, alpha * t);
    for (int c = 0; c < 3; ++c) color[c] = math::mul_add(weight, Pack(s.color[c]), color[c]);
    transmittance = select(goes_on, next, math::negative_abs(t));
    if constexpr (kExtras) {
      const Pack z(s.depth), half(0.5F);
      extras[kWeight] += weight;
      extras[kDepth] = math::mul_add(weight, z, extras[kDepth]);
      extras[kDepth2] = math::mul_add(weight, z * z, extras[kDepth2]);
      for (int c = 0; c < 3; ++c) {
        extras[kNormal + c] = math::mul_add(weight, Pack(s.normal[c]), extras[kNormal + c]);
      }
      const PackMask crossed = mask_and(goes_on, mask_and(t >= half, next < half));
      extras[kMedian] = select(crossed, z, extras[kMedian]);
    }
  }

 private:
  static HWY_INLINE float* at(float* unit, int p) { return unit + p * math::kPackLanes; }
  static HWY_INLINE Pack plane(float* unit, int p) { return Pack::load_aligned(at(unit, p)); }
};

// Blends the chunk's splats into a unit and says before which of them it was done: kChunk if it is
// not. Counts the (unit, splat) items. Three of them are under way at once, a third of the chain of
// operations each: the processor's registers hold too few whole ones to keep it busy.
template <bool kExtras>
HWY_INLINE int blend_unit(const Chunk& chunk, int unit, TileState& tile, TileExtras* extras,
                          int64_t& items) {
  uint8_t list[kChunk + kPlacesSlack];
  int count = 0;
  for (int word = 0; 64 * word < chunk.pairs; ++word) {
    count = append_places(chunk.touching_unit(unit, word), 64 * word, list, count);
  }
  const Pack x = unit_x(unit), y = unit_y(unit);
  list[count] = list[count + 1] = 0;
  const auto exponent = [&](int k) { return log2_alpha_at(chunk.splats[list[k]], x, y); };
  UnitState<kExtras> state(tile, extras, unit);
  Pack alpha = alpha_of(exponent(0));
  Pack ahead = exponent(1);
  int k = 0;
  while (k < count && !state.done()) {
    const int end = std::min(count, k + kStopTestInterval);
    for (; k < end; ++k) {
      const Pack further = exponent(k + 2);
      const Pack next_alpha = alpha_of(ahead);
      state.blend(chunk.splats[list[k]], alpha);
      alpha = next_alpha;
      ahead = further;
    }
  }
  state.store(tile, extras, unit);
  items += k;
  return state.done() ? (k < count ? list[k] : chunk.pairs) : kChunk;
}

// Before which pair all units of a group were done, from that of each unit.
HWY_INLINE int stop_of_group(const int* stops, int group) {
  if constexpr (kBlockRows == 4) {
    return stops[group % 4 + group / 8 * 4];
  } else if constexpr (kUnitsPerBlock == 2) {
    return std::max(stops[2 * group], stops[2 * group + 1]);
  } else {
    return stops[group];
  }
}

HWY_INLINE uint64_t unfinished_units(TileState& state) {
  uint64_t units = 0;
  for (int unit = 0; unit < kUnits; ++unit) {
    const Pack t = Pack::load_aligned(state.unit(unit) + kTransmittance * math::kPackLanes);
    units |= static_cast<uint64_t>(!math::none(t > Pack(0.0F))) << unit;
  }
  return units;
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
      *state.at(kTransmittance, slot) = -1.0F;  // outside the window: done from the start
    }
  }
}

HWY_INLINE void write_tile(const RasterTask& task, const TilePlace& place, TileState& state) {
  for (int unit = 0; unit < kUnits; ++unit) {
    float* transmittance = state.unit(unit) + kTransmittance * math::kPackLanes;
    abs(Pack::load_aligned(transmittance)).store_aligned(transmittance);
  }
  namespace hn = hwy::HWY_NAMESPACE;
  const QuadTag d;
  for (int quad = 0; quad < kTilePixels; quad += 4) {
    const int64_t pixel = place.pixel(pixel_x(quad), pixel_y(quad));
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
    const int64_t pixel = place.pixel(x, y);
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
  const TilePlace place(tile, task.tiles_x, task.window);
  // Where backward finds it.
  auto& state = reinterpret_cast<TileState*>(task.state)[tile];
  start_tile(place, state);
  uint64_t alive = unfinished_units(state);
  int64_t items = 0;
  int64_t p = begin;
  for (; p < end && alive != 0; p += kChunk) {
    Chunk chunk(task, place, p, std::min(end, p + kChunk));
    int stops[kUnits];  // before which pair each unit was done
    for (int unit = 0; unit < kUnits; ++unit) {
      stops[unit] = 0;
      if ((alive >> unit & 1U) == 0) continue;
      stops[unit] = blend_unit<kExtras>(chunk, unit, state, extras, items);
      if (stops[unit] < kChunk) alive &= ~(uint64_t{1} << unit);
    }
    for (int group = 0; group < kGroups; ++group) {
      const int stop = stop_of_group(stops, group);
      for (int k = stop; k < chunk.pairs; ++k) task.pair_groups[p + k] &= ~(1U << group);
    }
  }
  for (; p < end; ++p) task.pair_groups[p] = 0;
  write_tile(task, place, state);
  if constexpr (kExtras) write_extras(task, place, *extras);
  return items * math::kPackLanes;
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
