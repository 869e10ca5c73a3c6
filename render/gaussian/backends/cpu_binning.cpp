// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_binning.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/error.h"

namespace tessera::render {
namespace {

constexpr int64_t kMaxChunks = 16;
constexpr int64_t kMinChunkSize = 256;

}  // namespace

int64_t CpuBinning::run(core::ThreadPool& pool, const CpuKernels& kernels,
                        core::View<const CpuSplat> splats, const core::PixelWindow& window) {
  tiles_x_ = tiles_along(window.width);
  tiles_y_ = tiles_along(window.height);
  splat_count_ = splats.size;
  chunk_size_ = std::max(kMinChunkSize, (splat_count_ + kMaxChunks - 1) / kMaxChunks);
  chunks_ = static_cast<int>((splat_count_ + chunk_size_ - 1) / chunk_size_);
  find_entries(pool, kernels, {splats.data, window, tiles_x_});
  const int64_t pairs = place_tiles();
  scatter(pool);
  order_tiles();
  return pairs;
}

void CpuBinning::find_entries(core::ThreadPool& pool, const CpuKernels& kernels,
                              const BinTask& task) {
  chunk_starts_.resize(chunks_ + 1);
  chunk_starts_.fill(0);
  const auto chunk_end = [&](int64_t c) { return std::min(splat_count_, (c + 1) * chunk_size_); };
  pool.parallel_for(chunks_, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t c = begin; c < end; ++c) {
      int64_t bound = 0;
      for (int64_t i = c * chunk_size_; i < chunk_end(c); ++i) {
        const TileBounds box = tile_bounds(task.splats[i], task.window);
        bound += int64_t{box.x1 - box.x0 + 1} * (box.y1 - box.y0 + 1);
      }
      chunk_starts_[c + 1] = bound;
    }
  });
  for (int c = 0; c < chunks_; ++c) chunk_starts_[c + 1] += chunk_starts_[c];
  entries_.resize(chunk_starts_[chunks_]);
  entry_ends_.resize(splat_count_);
  chunk_counts_.resize(int64_t{chunks_} * tile_count());
  chunk_counts_.fill(0);
  pool.parallel_for(chunks_, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t c = begin; c < end; ++c) {
      const int64_t first = c * chunk_size_;
      kernels.bin(task, first, chunk_end(c), entries_.data() + chunk_starts_[c],
                  chunk_counts_.data() + c * tile_count(), entry_ends_.data() + first);
      for (int64_t i = first; i < chunk_end(c); ++i) entry_ends_[i] += chunk_starts_[c];
    }
  });
}

int64_t CpuBinning::place_tiles() {
  const int tiles = tile_count();
  tile_starts_.resize(tiles + 1);
  int64_t at = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    tile_starts_[tile] = at;
    for (int c = 0; c < chunks_; ++c) {
      uint32_t& count = chunk_counts_[int64_t{c} * tiles + tile];
      const uint32_t here = count;
      count = static_cast<uint32_t>(at);
      at += here;
    }
  }
  tile_starts_[tiles] = at;
  if (at > std::numeric_limits<uint32_t>::max()) {
    throw core::Error(
        "the splats cover more than 4 billion tiles of this picture; render it smaller");
  }
  return at;
}

void CpuBinning::scatter(core::ThreadPool& pool) {
  const int64_t pairs = tile_starts_[tile_count()];
  entry_pair_.resize(entries_.size());
  pair_splat_.resize(pairs);
  pair_groups_.resize(pairs);
  pool.parallel_for(chunks_, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t c = begin; c < end; ++c) {
      uint32_t* next = chunk_counts_.data() + c * tile_count();
      const int64_t last = std::min(splat_count_, (c + 1) * chunk_size_);
      for (int64_t i = c * chunk_size_; i < last; ++i) {
        for (int64_t e = splat_begin(i); e < splat_end(i); ++e) {
          const uint32_t pair = next[entries_[e].tile]++;
          entry_pair_[e] = pair;
          pair_splat_[pair] = static_cast<uint32_t>(i);
          pair_groups_[pair] = entries_[e].groups;
        }
      }
    }
  });
}

void CpuBinning::order_tiles() {
  largest_first_.resize(tile_count());
  std::iota(largest_first_.begin(), largest_first_.end(), 0);
  const auto pairs = [&](int32_t tile) { return tile_end(tile) - tile_begin(tile); };
  std::sort(largest_first_.begin(), largest_first_.end(), [&](int32_t a, int32_t b) {
    return pairs(a) != pairs(b) ? pairs(a) > pairs(b) : a < b;
  });
}

}  // namespace tessera::render
