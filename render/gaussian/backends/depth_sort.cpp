// Three passes of 11 bits, all histograms taken in one reading; a pass whose digit is the same for
// all items is skipped.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/depth_sort.h"

#include <array>

namespace tessera::render {
namespace {

constexpr int kBits = 11;
constexpr int kPasses = 3;
constexpr uint32_t kBuckets = 1U << kBits;

uint32_t digit(uint32_t key, int pass) {
  return key >> (pass * kBits) & (kBuckets - 1);
}

}  // namespace

void radix_sort(core::Array<SortItem>& items, core::Array<SortItem>& scratch) {
  const int64_t n = items.size();
  if (n < 2) return;
  scratch.resize(n);
  std::array<std::array<uint32_t, kBuckets>, kPasses> counts = {};
  for (const SortItem& item : items) {
    for (int pass = 0; pass < kPasses; ++pass) ++counts[pass][digit(item.key, pass)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    if (count[digit(items[0].key, pass)] == static_cast<uint32_t>(n)) continue;
    uint32_t start = 0;
    for (uint32_t& c : count) {
      const uint32_t here = c;
      c = start;
      start += here;
    }
    for (const SortItem& item : items) scratch[count[digit(item.key, pass)]++] = item;
    items.swap(scratch);
  }
}

}  // namespace tessera::render
