// The order in which a tile's 256 pixels lie in a kernel's buffers, so that each vector covers a
// compact block (4x2 pixels with 8 lanes, 4x4 with 16). For kernel files.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/pack.h"
#include "render/gaussian/backends/cpu_kernels.h"
#include "render/gaussian/splat_math.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

using math::Pack;
using math::PackMask;

constexpr int kGroups = 32;
constexpr int kUnits = kTilePixels / math::kPackLanes;  // vectors that make up a tile
constexpr int kBlockRows = math::kPackLanes > 8 ? math::kPackLanes / 4 : 2;
constexpr int kBlockPixels = 4 * kBlockRows;
constexpr int kUnitsPerBlock = kBlockPixels / math::kPackLanes;  // 2 with 4 lanes, else 1

constexpr int pixel_x(int slot) {
  return 4 * ((slot / kBlockPixels) & 3) + (slot & 3);
}
constexpr int pixel_y(int slot) {
  return kBlockRows * (slot / kBlockPixels / 4) + (slot % kBlockPixels) / 4;
}

// Several values per pixel of a tile, those of one vector of pixels on end: one address and small
// offsets reach them all.
template <int kPlanes>
struct TilePlanes {
  alignas(64) float values[kPlanes * kTilePixels];

  HWY_INLINE float* unit(size_t u) { return values + u * kPlanes * math::kPackLanes; }
  HWY_INLINE float* at(int plane, int slot) {
    return values + (slot / math::kPackLanes * kPlanes + plane) * math::kPackLanes +
           slot % math::kPackLanes;
  }
};

// Planes 0 and 1: x and y of the pixels' centres from the tile's corner.
struct TileCoordinates {
  alignas(64) float values[2 * kTilePixels];

  constexpr TileCoordinates() : values() {
    for (int slot = 0; slot < kTilePixels; ++slot) {
      const int at = slot / math::kPackLanes * 2 * math::kPackLanes + slot % math::kPackLanes;
      values[at] = static_cast<float>(pixel_x(slot)) + 0.5F;
      values[at + math::kPackLanes] = static_cast<float>(pixel_y(slot)) + 0.5F;
    }
  }
};
static constexpr TileCoordinates kTileCoordinates;

// Bits of units from bits of 4x2 groups.
HWY_INLINE uint64_t units_of_groups(uint32_t groups) {
  uint64_t u = groups;
  if constexpr (kBlockRows == 4) {
    u = (u | u >> 4) & 0x0F0F0F0FU;
    u = (u | u >> 4) & 0x00FF00FFU;
    u = (u | u >> 8) & 0xFFFFU;
  } else if constexpr (kUnitsPerBlock == 2) {
    u = (u | u << 16) & 0x0000FFFF0000FFFFU;
    u = (u | u << 8) & 0x00FF00FF00FF00FFU;
    u = (u | u << 4) & 0x0F0F0F0F0F0F0F0FU;
    u = (u | u << 2) & 0x3333333333333333U;
    u = (u | u << 1) & 0x5555555555555555U;
    u |= u << 1;
  }
  return u;
}

// Where a tile of a window lies.
struct TilePlace {
  int left, top;      // in the picture
  int width, height;  // of the part inside the window
  int64_t corner;     // its first pixel's number in the window
  int stride;         // from a pixel to the one below it

  HWY_INLINE TilePlace(int tile, int tiles_x, const core::PixelWindow& window) {
    const int column = tile % tiles_x * kTileSize, row = tile / tiles_x * kTileSize;
    left = window.left + column;
    top = window.top + row;
    width = window.width - column < kTileSize ? window.width - column : kTileSize;
    height = window.height - row < kTileSize ? window.height - row : kTileSize;
    stride = window.width;
    corner = static_cast<int64_t>(row) * stride + column;
  }
  HWY_INLINE int64_t pixel(int x, int y) const {
    return corner + static_cast<int64_t>(y) * stride + x;
  }
  HWY_INLINE bool whole() const { return width == kTileSize && height == kTileSize; }
  // Whether the four pixels from the slot on lie in the window.
  HWY_INLINE bool has_quad(int slot) const {
    return pixel_x(slot) + 4 <= width && pixel_y(slot) < height;
  }
};

// The splats of a tile lie far from one another, so those of later pairs are asked for ahead.
constexpr int64_t kPrefetchDistance = 24;
HWY_INLINE void prefetch_splat(const CpuSplat* splats, const uint32_t* pair_splat, int64_t pair,
                               int64_t end) {
  if (pair + kPrefetchDistance < end) {
    __builtin_prefetch(&splats[pair_splat[pair + kPrefetchDistance]]);
  }
}

// A splat with its mean relative to the tile's corner.
HWY_INLINE CpuSplat relative_to_tile(const CpuSplat& splat, const TilePlace& place) {
  CpuSplat s = splat;
  s.mean_x -= static_cast<float>(place.left);
  s.mean_y -= static_cast<float>(place.top);
  return s;
}

// Four pixels of a row of the picture lie in four slots on end.
using QuadTag = hwy::HWY_NAMESPACE::CappedTag<float, 4>;

// log2 alpha below which a splat is skipped.
constexpr float kLog2MinAlpha = -7.99435343686F;
constexpr float kMaxAlpha = 0.99F;
constexpr float kMinTransmittance = 1e-4F;

// x and y of a unit's pixels, from the tile's corner.
HWY_INLINE Pack unit_x(size_t unit) {
  return Pack::load_aligned(kTileCoordinates.values + unit * 2 * math::kPackLanes);
}
HWY_INLINE Pack unit_y(size_t unit) {
  return Pack::load_aligned(kTileCoordinates.values + (unit * 2 + 1) * math::kPackLanes);
}

// log2 of the splat's alpha at (x, y), both from the tile's corner.
HWY_INLINE Pack log2_alpha_at(const CpuSplat& s, Pack x, Pack y) {
  const Sym2<Pack> conic2 = {Pack(s.conic_xx), Pack(s.conic_xy), Pack(s.conic_yy)};
  return log2_alpha(conic2, Pack(s.log2_opacity), x - Pack(s.mean_x), y - Pack(s.mean_y));
}

// Alpha from its log2; 0 where the splat is skipped.
HWY_INLINE Pack alpha_of(Pack exponent) {
  return math::zero_unless(exponent >= Pack(kLog2MinAlpha),
                           min(Pack(kMaxAlpha), math::fast_exp2(exponent)));
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
