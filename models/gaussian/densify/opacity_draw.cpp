// SPDX-License-Identifier: MIT
#include "models/gaussian/densify/opacity_draw.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "distributed/gather.h"

namespace tessera::models {
namespace {

constexpr const char* kTag = "mcmc";
constexpr float kUnit = 16777216.0F;  // 2^24: opacity as an integer
constexpr size_t kIdsPerSample = 256;

// Where the ranges of ids begin that ranks 1, 2, ... sum up: nearly equally many living in each.
std::vector<uint64_t> range_begins(distributed::Communicator& ranks,
                                   std::span<const uint64_t> own) {
  std::vector<uint64_t> own_samples;
  for (size_t i = kIdsPerSample / 2; i < own.size(); i += kIdsPerSample) {
    own_samples.push_back(own[i]);
  }
  std::vector<uint64_t> samples =
      distributed::gather_lists(ranks, kTag, std::span<const uint64_t>(own_samples));
  std::sort(samples.begin(), samples.end());
  std::vector<uint64_t> begins;
  const size_t size = ranks.size();
  for (size_t r = 1; r < size; ++r) {
    begins.push_back(samples.empty() ? UINT64_MAX : samples[samples.size() * r / size]);
  }
  return begins;
}

}  // namespace

OpacityDraw::OpacityDraw(const core::GaussianCloud& cloud, distributed::Communicator& ranks)
    : ranks_(ranks) {
  const std::vector<Living> range = ranges_of_ids(living_of(cloud));
  uint64_t sum = 0;
  for (const Living& living : range) {
    ids_.push_back(living.id);
    sums_.push_back(sum += living.opacity);
  }
  const std::vector<uint64_t> of_ranges = ranks_.all_gather(kTag, sum);
  before_ = std::accumulate(of_ranges.begin(), of_ranges.begin() + ranks_.rank(), uint64_t{0});
  total_ = std::accumulate(of_ranges.begin(), of_ranges.end(), uint64_t{0});
}

std::vector<uint64_t> OpacityDraw::draw(std::span<const uint64_t> bits) const {
  std::vector<uint64_t> drawn(bits.size(), 0);
  for (size_t k = 0; k < bits.size(); ++k) {
    const auto target =
        static_cast<uint64_t>((static_cast<unsigned __int128>(bits[k]) * total_) >> 64);
    if (target < before_) continue;
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), target - before_);
    if (found != sums_.end()) drawn[k] = ids_[found - sums_.begin()];
  }
  // Each was found by one rank; the others add zero.
  ranks_.all_reduce(kTag, distributed::Reduction::kSum, std::span(drawn));
  return drawn;
}

std::vector<OpacityDraw::Living> OpacityDraw::living_of(const core::GaussianCloud& cloud) {
  const float* logits = cloud.plane(core::kOpacityPlane);
  std::vector<Living> living;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const float opacity = sigmoid(logits[i]);
    if (opacity > kMinOpacity) {
      living.push_back({cloud.ids[i], static_cast<uint64_t>(opacity * kUnit)});
    }
  }
  std::sort(living.begin(), living.end(),
            [](const Living& a, const Living& b) { return a.id < b.id; });
  return living;
}

// What lives in this rank's range of ids, ascending, of what ranks own.
std::vector<OpacityDraw::Living> OpacityDraw::ranges_of_ids(const std::vector<Living>& own) const {
  std::vector<uint64_t> own_ids;
  own_ids.reserve(own.size());
  for (const Living& living : own) own_ids.push_back(living.id);
  const std::vector<uint64_t> begins = range_begins(ranks_, own_ids);
  std::vector<std::span<const std::byte>> sends;
  std::vector<int64_t> counts;
  size_t first = 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    const auto end = r < static_cast<int>(begins.size())
                         ? std::lower_bound(own_ids.begin(), own_ids.end(), begins[r])
                         : own_ids.end();
    const auto count = static_cast<size_t>(end - own_ids.begin()) - first;
    sends.push_back(std::as_bytes(std::span(own).subspan(first, count)));
    counts.push_back(static_cast<int64_t>(count));
    first += count;
  }
  const std::vector<int64_t> coming = ranks_.exchange_counts(kTag, counts);
  std::vector<Living> range(std::accumulate(coming.begin(), coming.end(), int64_t{0}));
  std::vector<std::span<std::byte>> receives;
  size_t at = 0;
  for (const int64_t count : coming) {
    receives.push_back(std::as_writable_bytes(std::span(range).subspan(at, count)));
    at += count;
  }
  ranks_.all_to_all_v(kTag, sends, receives).wait();
  std::sort(range.begin(), range.end(),
            [](const Living& a, const Living& b) { return a.id < b.id; });
  return range;
}

}  // namespace tessera::models
