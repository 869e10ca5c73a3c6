// Which tiles, and which 4x2 groups of pixels inside them, a splat may touch.
//
// For each row of pixels the level set alpha = 1/255 is a span (the roots of a quadratic); the
// spans of the 16 rows of a tile are found at once, even rows in one vector and odd rows in
// another, so that the union over a group's two rows is one minimum and one maximum.
// SPDX-License-Identifier: MIT
#include <hwy/highway.h>

#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::render {
namespace TESSERA_ISA {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using RowTag = hn::CappedTag<float, 8>;  // at most 8 lanes: one per row of groups
using RowIntTag = hn::RebindToSigned<RowTag>;
constexpr int kRowLanes = HWY_LANES(float) < 8 ? HWY_LANES(float) : 8;
constexpr int kRowVectors = 8 / kRowLanes;
constexpr float kCutMargin = 1e-3F;  // in log2 alpha: spans may be too wide, never too narrow
constexpr float kPixelMargin = 1e-3F;

struct RowSpans {
  alignas(32) int32_t first[8];  // pixel of the picture; first > last where empty
  alignas(32) int32_t last[8];
};

// The spans of a splat on tile row `tile_y`, each over two rows of pixels.
HWY_INLINE void row_spans(const CpuSplat& s, float tile_top, int height_left, RowSpans& spans) {
  const RowTag d;
  const RowIntTag di;
  // A dx^2 + B dx dy + C dy^2 <= K with A, C > 0.
  const float a = -s.conic_xx, b = -s.conic_xy, c = -s.conic_yy;
  const float k = s.log2_opacity + 7.99435343686F + kCutMargin;
  const float inverse_a = 1.0F / a;
  const float slope = -0.5F * b * inverse_a;  // of the middle of the span, per dy
  const float bend = c - 0.25F * b * b * inverse_a;
  const auto zero = hn::Zero(d);
  for (int half = 0; half < kRowVectors; ++half) {
    auto first = hn::Set(d, 1e9F);
    auto last = hn::Set(d, -1e9F);
    for (int odd = 0; odd < 2; ++odd) {
      const auto row = hn::MulAdd(hn::Iota(d, static_cast<float>(half * kRowLanes)),
                                  hn::Set(d, 2.0F), hn::Set(d, static_cast<float>(odd)));
      const auto dy = hn::Add(row, hn::Set(d, tile_top + 0.5F - s.mean_y));
      const auto left = hn::NegMulAdd(hn::Mul(hn::Set(d, bend), dy), dy, hn::Set(d, k));
      const auto inside =
          hn::And(hn::Ge(left, zero), hn::Lt(row, hn::Set(d, static_cast<float>(height_left))));
      const auto reach = hn::Add(hn::Sqrt(hn::Mul(hn::Max(left, zero), hn::Set(d, inverse_a))),
                                 hn::Set(d, kPixelMargin));
      const auto middle = hn::MulAdd(hn::Set(d, slope), dy, hn::Set(d, s.mean_x - 0.5F));
      first = hn::IfThenElse(inside, hn::Min(first, hn::Sub(middle, reach)), first);
      last = hn::IfThenElse(inside, hn::Max(last, hn::Add(middle, reach)), last);
    }
    const auto limit = hn::Set(d, 1e9F), floor = hn::Set(d, -1e9F);
    hn::Store(hn::ConvertTo(di, hn::Ceil(hn::Max(hn::Min(first, limit), floor))), di,
              spans.first + half * kRowLanes);
    hn::Store(hn::ConvertTo(di, hn::Floor(hn::Max(hn::Min(last, limit), floor))), di,
              spans.last + half * kRowLanes);
  }
}

// The bits of the groups that the spans touch in the tile whose left pixel is `left`.
HWY_INLINE uint32_t group_bits(const RowSpans& spans, int left) {
  const RowIntTag di;
  uint32_t bits = 0;
  for (int half = 0; half < kRowVectors; ++half) {
    const auto origin = hn::Set(di, left);
    const auto first = hn::Sub(hn::Load(di, spans.first + half * kRowLanes), origin);
    const auto last = hn::Sub(hn::Load(di, spans.last + half * kRowLanes), origin);
    const auto low = hn::ShiftRight<2>(hn::Max(first, hn::Zero(di)));
    const auto high = hn::ShiftRight<2>(hn::Min(last, hn::Set(di, kTileSize - 1)));
    const auto empty = hn::Or(hn::Gt(first, last), hn::Gt(low, high));
    const auto low_shift = hn::Min(low, hn::Set(di, 8));
    const auto high_shift = hn::Max(high, hn::Zero(di));
    const auto columns =
        hn::Sub(hn::Shl(hn::Set(di, 2), high_shift), hn::Shl(hn::Set(di, 1), low_shift));
    const auto row_shift = hn::ShiftLeft<2>(hn::Iota(di, half * kRowLanes));
    const auto placed = hn::IfThenZeroElse(empty, hn::Shl(columns, row_shift));
    // Different rows set different bits, so their sum is their union.
    bits |= static_cast<uint32_t>(hn::GetLane(hn::SumOfLanes(di, placed)));
  }
  return bits;
}

}  // namespace

int64_t bin_splats(const BinTask& task, int64_t begin, int64_t end, BinEntry* entries,
                   uint32_t* tile_counts, int64_t* entry_ends) {
  int64_t count = 0;
  for (int64_t i = begin; i < end; ++i) {
    const CpuSplat& s = task.splats[i];
    const TileBounds box = tile_bounds(s, task.window);
    for (int ty = box.y0; ty <= box.y1; ++ty) {
      RowSpans spans;
      const int top = ty * kTileSize;
      row_spans(s, static_cast<float>(task.window.top + top), task.window.height - top, spans);
      for (int tx = box.x0; tx <= box.x1; ++tx) {
        const uint32_t groups = group_bits(spans, task.window.left + tx * kTileSize);
        const uint32_t tile = static_cast<uint32_t>(ty * task.tiles_x + tx);
        // Corners of a splat's box are often empty; a branch on that would often be wrong.
        const uint32_t touched = groups != 0;
        entries[count] = {tile, groups};
        count += touched;
        tile_counts[tile] += touched;
      }
    }
    entry_ends[i - begin] = count;
  }
  return count;
}

}  // namespace TESSERA_ISA
}  // namespace tessera::render
