// The radix sort against the standard library's stable sort.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/depth_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/math/rng.h"

namespace tessera::render {
namespace {

TEST(DepthSort, IsAStableSort) {
  for (const int64_t count : {0, 1, 2, 100, 5000}) {
    // All bits, few of them (many equal keys), only high ones, and all equal.
    for (const uint32_t mask : {0xffffffffU, 0x7U, 0xffc00000U, 0U}) {
      core::Array<SortItem> items(count), scratch;
      for (int64_t i = 0; i < count; ++i) {
        const math::Random4 r = math::random_bits(1, math::RandomStream::kInit, mask, i);
        items[i] = {r.v[0] & mask, static_cast<uint32_t>(i)};
      }
      core::Array<SortItem> expected = items;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const SortItem& a, const SortItem& b) { return a.key < b.key; });
      radix_sort(items, scratch);
      EXPECT_TRUE(items == expected) << count << " keys of mask " << mask;
    }
  }
}

}  // namespace
}  // namespace tessera::render
