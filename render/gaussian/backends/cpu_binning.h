// Lists of splats per tile in the order of blending, and the way back from a splat to its pairs.
//
// The splats come sorted, so writing each one's tiles in turn leaves every list sorted: no sort of
// (tile, depth) keys. A fixed number of chunks, each with its own counts, lets threads write at
// once and still leaves the same lists for any number of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/array.h"
#include "core/thread_pool.h"
#include "core/view.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::render {

class CpuBinning {
 public:
  // `splats` in the order of blending. Returns the number of pairs.
  int64_t run(core::ThreadPool& pool, const CpuKernels& kernels, core::View<const CpuSplat> splats,
              const core::PixelWindow& window);

  int tiles_x() const { return tiles_x_; }
  int tile_count() const { return tiles_x_ * tiles_y_; }
  int64_t tile_begin(int tile) const { return tile_starts_[tile]; }
  int64_t tile_end(int tile) const { return tile_starts_[tile + 1]; }
  const core::Array<int32_t>& largest_first() const { return largest_first_; }
  const uint32_t* pair_splat() const { return pair_splat_.data(); }
  uint32_t* pair_groups() { return pair_groups_.data(); }

  // Entries of splat i, and the pair that each became.
  int64_t splat_begin(int64_t i) const {
    return i % chunk_size_ == 0 ? chunk_starts_[i / chunk_size_] : entry_ends_[i - 1];
  }
  int64_t splat_end(int64_t i) const { return entry_ends_[i]; }
  uint32_t pair_of_entry(int64_t entry) const { return entry_pair_[entry]; }

 private:
  void find_entries(core::ThreadPool& pool, const CpuKernels& kernels, const BinTask& task);
  int64_t place_tiles();
  void scatter(core::ThreadPool& pool);
  void order_tiles();

  int tiles_x_ = 0, tiles_y_ = 0;
  int64_t splat_count_ = 0;
  int64_t chunk_size_ = 1;
  int chunks_ = 0;
  core::Array<int64_t> chunk_starts_;  // [chunks + 1] into entries, from bounds
  core::Array<BinEntry> entries_;
  core::Array<int64_t> entry_ends_;     // [splats]
  core::Array<uint32_t> chunk_counts_;  // [chunks][tiles]: counts, then where to write next
  core::Array<int64_t> tile_starts_;    // [tiles + 1]
  core::Array<int32_t> largest_first_;
  core::Array<uint32_t> entry_pair_;
  core::Array<uint32_t> pair_splat_;
  core::Array<uint32_t> pair_groups_;
};

}  // namespace tessera::render
