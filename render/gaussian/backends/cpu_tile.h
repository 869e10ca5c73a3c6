// The order in which a tile's 256 pixels lie in a kernel's buffers, so that each vector covers a
// compact block (4x2 pixels with 8 lanes, 4x4 with 16). For kernel files.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/pack.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

using math::Pack;
using math::PackMask;

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

  HWY_INLINE float* unit(int u) { return values + u * kPlanes * math::kPackLanes; }
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

// Bits of blocks from bits of 4x2 groups, and back.
HWY_INLINE uint32_t blocks_of_groups(uint32_t groups) {
  if constexpr (kBlockRows == 4) {
    uint32_t b = (groups | groups >> 4) & 0x0F0F0F0FU;
    b = (b | b >> 4) & 0x00FF00FFU;
    return (b | b >> 8) & 0xFFFFU;
  } else {
    return groups;
  }
}
HWY_INLINE uint32_t groups_of_blocks(uint32_t blocks) {
  if constexpr (kBlockRows == 4) {
    uint32_t g = (blocks | blocks << 8) & 0x00FF00FFU;
    g = (g | g << 4) & 0x0F0F0F0FU;
    return g | g << 4;
  } else {
    return blocks;
  }
}

// finish(unit, start(unit)) for the units of `blocks`, each unit's start one ahead of the finish of
// the one before: start is a long chain of operations (the exponential), and the processor's window
// is too short to overlap enough of them by itself.
template <class Start, class Finish>
HWY_INLINE void for_each_unit(uint32_t blocks, const Start& start, const Finish& finish) {
  if (blocks == 0) return;
  const auto first_unit = [](uint32_t bits) { return __builtin_ctz(bits) * kUnitsPerBlock; };
  int unit = first_unit(blocks);
  auto started = start(unit);
  for (;;) {
    for (int part = 1; part < kUnitsPerBlock; ++part, ++unit) {
      const auto ahead = start(unit + 1);
      finish(unit, started);
      started = ahead;
    }
    blocks &= blocks - 1;
    if (blocks == 0) break;
    const int next = first_unit(blocks);
    const auto ahead = start(next);
    finish(unit, started);
    started = ahead;
    unit = next;
  }
  finish(unit, started);
}

// Where a tile lies in the picture.
struct TilePlace {
  int left, top, width, height;  // width and height: of the part inside the picture

  HWY_INLINE TilePlace(int tile, int tiles_x, int picture_width, int picture_height)
      : left(tile % tiles_x * kTileSize), top(tile / tiles_x * kTileSize) {
    width = picture_width - left < kTileSize ? picture_width - left : kTileSize;
    height = picture_height - top < kTileSize ? picture_height - top : kTileSize;
  }
  HWY_INLINE bool whole() const { return width == kTileSize && height == kTileSize; }
  // Whether the four pixels from the slot on lie in the picture.
  HWY_INLINE bool has_quad(int slot) const {
    return pixel_x(slot) + 4 <= width && pixel_y(slot) < height;
  }
};

// Splats lie at their Gaussians' places, so the next ones of a tile are asked for ahead of their
// use.
constexpr int64_t kPrefetchDistance = 6;
HWY_INLINE void prefetch_splat(const CpuSplat* splats, const uint32_t* pair_splat, int64_t pair,
                               int64_t end) {
  if (pair + kPrefetchDistance < end) {
    __builtin_prefetch(&splats[pair_splat[pair + kPrefetchDistance]]);
  }
}

// Four pixels of a row of the picture lie in four slots on end.
using QuadTag = hwy::HWY_NAMESPACE::CappedTag<float, 4>;

// log2 alpha below which a splat is skipped, and at which alpha reaches its ceiling.
constexpr float kLog2MinAlpha = -7.99435343686F;
constexpr float kLog2MaxAlpha = -0.01449956969F;
constexpr float kMaxAlpha = 0.99F;
constexpr float kMinTransmittance = 1e-4F;

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
