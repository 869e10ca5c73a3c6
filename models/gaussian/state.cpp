// SPDX-License-Identifier: MIT
#include "models/gaussian/state.h"

#include <algorithm>
#include <bit>

namespace tessera::models {
namespace {

// The finalizer of SplitMix64 (Steele et al. 2014): a bijection that mixes all bits.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// New planes of the gathered elements; those from `inherited` on are zero if `zero_new`.
void gather(core::Planes& planes, const std::vector<int64_t>& source, int64_t inherited,
            bool zero_new, core::ThreadPool& pool) {
  const int64_t size = static_cast<int64_t>(source.size());
  core::Planes gathered(planes.plane_count(), size);
  pool.parallel_for(planes.plane_count(), 1, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t p = begin; p < end; ++p) {
      const float* from = planes.plane(static_cast<int>(p));
      float* to = gathered.plane(static_cast<int>(p));
      const int64_t copied = zero_new ? inherited : size;
      for (int64_t i = 0; i < copied; ++i) to[i] = from[source[i]];
    }
  });
  std::swap(planes, gathered);
}

}  // namespace

uint64_t child_id(uint64_t parent_id, int64_t step, uint64_t child_number) {
  constexpr uint64_t kTopBit = uint64_t{1} << 63;
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15U;
  const uint64_t event = static_cast<uint64_t>(step) << 32 | child_number;
  return mix(mix(parent_id + kGolden) ^ (event + kGolden) * kGolden) | kTopBit;
}

void rebuild(GaussianState& state, const std::vector<int64_t>& kept,
             const std::vector<Child>& children, core::ThreadPool& pool) {
  const int64_t inherited = static_cast<int64_t>(kept.size());
  std::vector<int64_t> source = kept;
  source.reserve(kept.size() + children.size());
  for (const Child& child : children) source.push_back(child.parent);
  const int64_t size = static_cast<int64_t>(source.size());

  core::Array<uint64_t> ids(size);
  for (int64_t i = 0; i < size; ++i) {
    ids[i] = i < inherited ? state.cloud.ids[source[i]] : children[i - inherited].id;
  }
  state.cloud.ids = std::move(ids);
  gather(state.cloud.parameters, source, inherited, false, pool);
  gather(state.first_moments, source, inherited, true, pool);
  gather(state.second_moments, source, inherited, true, pool);
  state.statistics.reset(state.statistics.plane_count(), size);
}

void keep(GaussianState& state, const std::vector<int64_t>& kept, core::ThreadPool& pool) {
  core::Planes statistics = std::move(state.statistics);
  state.statistics.reset(0, state.size());
  rebuild(state, kept, {}, pool);
  gather(statistics, kept, static_cast<int64_t>(kept.size()), false, pool);
  state.statistics = std::move(statistics);
}

int64_t drop_non_finite(GaussianState& state, core::ThreadPool& pool) {
  constexpr uint32_t kExponent = 0x7F800000U;
  constexpr int64_t kBlock = 4096;
  const int64_t size = state.size();
  std::vector<uint8_t> broken(size, 0);
  pool.parallel_for(size, kBlock, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int p = 0; p < state.cloud.parameters.plane_count(); ++p) {
      const float* values = state.cloud.plane(p);
      for (int64_t i = begin; i < end; ++i) {
        broken[i] |= (std::bit_cast<uint32_t>(values[i]) & kExponent) == kExponent ? 1 : 0;
      }
    }
  });
  const int64_t dropped = std::count(broken.begin(), broken.end(), 1);
  if (dropped == 0) return 0;
  std::vector<int64_t> kept;
  kept.reserve(size - dropped);
  for (int64_t i = 0; i < size; ++i) {
    if (broken[i] == 0) kept.push_back(i);
  }
  keep(state, kept, pool);
  return dropped;
}

}  // namespace tessera::models
