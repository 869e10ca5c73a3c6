// SPDX-License-Identifier: MIT
#include "models/gaussian/view_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/math/rng.h"
#include "models/gaussian/view_regions.h"

namespace tessera::models {
namespace {

// Views that the window holds: with fewer a step may miss a region, with more an epoch's order
// would be less random. What a permutation brings of a region before its turn, or late, grows with
// the root of the number of views.
size_t window_size(int batch, size_t views) {
  constexpr int kSteps = 8;
  constexpr double kRoots = 4;
  return static_cast<size_t>(kSteps * batch + kRoots * std::sqrt(static_cast<double>(views)));
}

// The views of a step so far, counted in each part of the scene. Parts are numbered as in a heap:
// the whole is 1, the halves of p are 2p and 2p + 1, the regions begin at their number.
class StepRegions {
 public:
  explicit StepRegions(int regions) : regions_(regions), counts_(2 * regions, 0) {}

  // Whether fewer views lie in region a's half of the scene than in b's, or as many there but fewer
  // in its quarter, and so on down to the region: then the others are farther away.
  bool is_less_crowded(int a, int b) const {
    for (int level = std::bit_width(static_cast<unsigned>(regions_)) - 2; level >= 0; --level) {
      const int in_a = counts_[(regions_ + a) >> level], in_b = counts_[(regions_ + b) >> level];
      if (in_a != in_b) return in_a < in_b;
    }
    return false;
  }

  void add(int region) {
    for (int part = regions_ + region; part > 0; part >>= 1) ++counts_[part];
  }

 private:
  int regions_;
  std::vector<int> counts_;
};

}  // namespace

ViewOrder::ViewOrder(int view_count, uint64_t seed)
    : ViewOrder(std::vector<int>(view_count, 0), 1, seed) {}

ViewOrder::ViewOrder(std::vector<int> regions, int batch, uint64_t seed)
    : regions_(std::move(regions)), batch_(batch), seed_(seed) {}

int ViewOrder::view(int64_t position) {
  const auto views = static_cast<int64_t>(regions_.size());
  const int64_t epoch = position / views;
  const int slot = static_cast<int>(epoch % 2);
  if (epoch_[slot] != epoch) {
    epoch_[slot] = epoch;
    order_[slot] = permutation(epoch);
    if (batch_ > 1) order_[slot] = spread(order_[slot], epoch);
  }
  return order_[slot][position % views];
}

// Fisher and Yates.
std::vector<int> ViewOrder::permutation(int64_t epoch) const {
  std::vector<int> permutation(regions_.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  for (int i = static_cast<int>(permutation.size()) - 1; i > 0; --i) {
    const math::Random4 bits = random_bits(seed_, math::RandomStream::kViewOrder,
                                           static_cast<uint32_t>(epoch), static_cast<uint64_t>(i));
    const uint64_t j = (uint64_t{bits.v[0]} * static_cast<uint64_t>(i + 1)) >> 32;
    std::swap(permutation[i], permutation[j]);
  }
  return permutation;
}

// Each step takes the view that has waited longest, then those of the window that lie farthest
// from what it has; of equally far ones those that have waited longer.
std::vector<int> ViewOrder::spread(const std::vector<int>& permutation, int64_t epoch) const {
  const auto views = static_cast<int64_t>(permutation.size());
  const size_t most = window_size(batch_, permutation.size());
  std::vector<int> window, order;
  order.reserve(permutation.size());
  const StepRegions none(view_region_count(batch_));
  StepRegions step = none;
  auto next = permutation.begin();
  for (int64_t position = epoch * views; position < (epoch + 1) * views; ++position) {
    while (next != permutation.end() && window.size() < most) window.push_back(*next++);
    const bool begins = position % batch_ == 0;
    if (begins) step = none;
    const auto chosen =
        begins ? window.begin() : std::min_element(window.begin(), window.end(), [&](int a, int b) {
          return step.is_less_crowded(regions_[a], regions_[b]);
        });
    step.add(regions_[*chosen]);
    order.push_back(*chosen);
    window.erase(chosen);
  }
  return order;
}

}  // namespace tessera::models
