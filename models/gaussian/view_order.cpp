// SPDX-License-Identifier: MIT
#include "models/gaussian/view_order.h"

#include <numeric>
#include <utility>

#include "core/math/rng.h"

namespace tessera::models {

ViewOrder::ViewOrder(int view_count, uint64_t seed) : seed_(seed), view_count_(view_count) {}

int ViewOrder::view(int64_t position) {
  const int64_t epoch = position / view_count_;
  const int slot = static_cast<int>(epoch % 2);
  std::vector<int>& permutation = permutation_[slot];
  if (epoch_[slot] != epoch) {
    epoch_[slot] = epoch;
    permutation.resize(view_count_);
    std::iota(permutation.begin(), permutation.end(), 0);
    // Fisher and Yates.
    for (int i = view_count_ - 1; i > 0; --i) {
      const math::Random4 bits =
          random_bits(seed_, math::RandomStream::kViewOrder, static_cast<uint32_t>(epoch),
                      static_cast<uint64_t>(i));
      const uint64_t j = (uint64_t{bits.v[0]} * static_cast<uint64_t>(i + 1)) >> 32;
      std::swap(permutation[i], permutation[j]);
    }
  }
  return permutation[position % view_count_];
}

}  // namespace tessera::models
