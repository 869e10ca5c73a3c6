// A few of a tile's pairs at a time, flattened into items: a splat and a unit (one vector of
// pixels) that it may touch. For kernel files.
//
// A splat touches some ten units of a tile, so the end of a loop over one splat's units comes soon
// and cannot be predicted. Here the list of items is made without branches, and what does not
// depend on the splats before is found in one loop over all of them.
// SPDX-License-Identifier: MIT
#pragma once

#include "render/gaussian/backends/bits.h"
#include "render/gaussian/backends/cpu_tile.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

class PairBatch {
 public:
  static constexpr int kEnoughItems = 64;
  static constexpr int kMaxPairs = 32;
  static constexpr int kMaxItems = kEnoughItems + kUnits;

  int pairs = 0;
  int items = 0;
  int first_item[kMaxPairs + 1];
  CpuSplat splats[kMaxPairs];  // their means relative to the tile

  // Takes pairs from `pair` on; returns the first one not taken.
  HWY_INLINE int64_t fill(const CpuSplat* all_splats, const uint32_t* pair_splat,
                          const uint32_t* pair_groups, int64_t pair, int64_t end,
                          const TilePlace& place) {
    namespace hn = hwy::HWY_NAMESPACE;
    const hn::CappedTag<uint16_t, 8> d16;
    const hn::Rebind<uint8_t, decltype(d16)> d8;
    int count = 0, item = 0;
    for (; pair < end && item < kEnoughItems && count < kMaxPairs; ++pair, ++count) {
      prefetch_splat(all_splats, pair_splat, pair, end);
      splats[count] = relative_to_tile(all_splats[pair_splat[pair]], place);
      const uint64_t touched = units_of_groups(pair_groups[pair]);
      first_item[count] = item;
      for (int byte = 0; byte < kUnits / 8; ++byte) {
        const auto bits = static_cast<uint8_t>(touched >> (8 * byte));
        const auto first = static_cast<uint16_t>(count * kUnits + 8 * byte);
        const auto places = hn::PromoteTo(d16, hn::Load(d8, kPlacesOfBits.places[bits]));
        hn::StoreU(hn::Add(places, hn::Set(d16, first)), d16, cell_ + item);
        item += __builtin_popcount(bits);
      }
    }
    first_item[count] = item;
    cell_[item] = cell_[item + 1] = 0;
    pairs = count;
    items = item;
    return pair;
  }

  HWY_INLINE size_t unit(int item) const { return cell_[item] % kUnits; }

  // log2 of the item's alpha at the unit's pixels; also of the two items past the last one, where
  // it means nothing.
  HWY_INLINE Pack exponent(int item) const {
    const CpuSplat& s = splats[cell_[item] / kUnits];
    return log2_alpha_at(s, unit_x(unit(item)), unit_y(unit(item)));
  }

 private:
  uint16_t cell_[kMaxItems + kPlacesSlack];  // per item: pair * kUnits + unit
};

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
