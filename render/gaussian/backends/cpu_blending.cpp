// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_blending.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace tessera::render {
namespace {

constexpr int64_t kGatherChunk = 4096;
constexpr int64_t kReduceChunk = 256;

}  // namespace

void CpuBlending::forward(const CpuSplatList& list, const core::PixelWindow& window,
                          const RasterizeOptions& options, RenderOutput& output) {
  window_ = window;
  options_ = options;
  times_.timed("sort", [&] { sort_by_depth(list); });
  times_.timed(
      "bin", [&] { counts_.tile_pairs = binning_.run(pool_, kernels_, sorted_.view(), window_); });
  times_.timed("blend", [&] { blend(output); });
}

math::Vec3<double> CpuBlending::backward(const RenderOutputGradient& output_gradient, bool absolute,
                                         CpuSplatGradient* gradients) {
  math::Vec3<double> background;
  times_.timed("blend backward", [&] { background = blend_backward(output_gradient, absolute); });
  times_.timed("reduce", [&] { reduce_pairs(gradients); });
  return background;
}

void CpuBlending::sort_by_depth(const CpuSplatList& list) {
  items_.resize(list.which.size);
  for (int64_t k = 0; k < items_.size(); ++k) {
    const uint32_t index = list.which[k];
    items_[k] = {std::bit_cast<uint32_t>(list.splats[index].depth), index};
  }
  radix_sort(items_, sort_scratch_);
  order_equal_depths(list);
  counts_.visible = items_.size();
  gather_sorted(list.splats);
}

// From here on splats are met in the order of blending: one pass with loads asked for ahead is
// cheaper than a missed cache line at every later use.
void CpuBlending::gather_sorted(const CpuSplat* splats) {
  constexpr int64_t kAhead = 16;
  sorted_.resize(items_.size());
  pool_.parallel_for(items_.size(), kGatherChunk, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      if (i + kAhead < end) __builtin_prefetch(&splats[items_[i + kAhead].value]);
      sorted_[i] = splats[items_[i].value];
    }
  });
}

// Equal depths are ordered by the splat's other values, then by id. By value, not by bytes: then
// another instruction set, whose last bits differ, gives the same order. Only what makes the splat,
// from its mean to its depth, is compared: what follows from it may come from elsewhere.
void CpuBlending::order_equal_depths(const CpuSplatList& list) {
  const auto before = [&](const SortItem& a, const SortItem& b) {
    constexpr int kFloats = 10;
    static_assert(offsetof(CpuSplat, depth) == (kFloats - 1) * sizeof(float));
    const float* values_a = &list.splats[a.value].mean_x;
    const float* values_b = &list.splats[b.value].mean_x;
    for (int k = 0; k < kFloats; ++k) {
      if (values_a[k] != values_b[k]) return values_a[k] < values_b[k];
    }
    return tie_key(list.ids[a.value]) < tie_key(list.ids[b.value]);
  };
  for (int64_t i = 0; i + 1 < items_.size();) {
    int64_t end = i + 1;
    while (end < items_.size() && items_[end].key == items_[i].key) ++end;
    if (end - i > 1) std::sort(items_.data() + i, items_.data() + end, before);
    i = end;
  }
}

// body(tile, begin, end) over the tiles, those with most pairs first.
template <class Body>
void CpuBlending::for_each_tile(const Body& body) {
  pool_.parallel_for(binning_.tile_count(), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int tile = binning_.largest_first()[i];
      body(tile, binning_.tile_begin(tile), binning_.tile_end(tile));
    }
  });
}

void CpuBlending::blend(RenderOutput& output) {
  const int width = window_.width, height = window_.height;
  output.color.resize(width, height, 3);
  output.alpha.resize(width, height, 1);
  if (options_.depth) {
    output.depth.resize(width, height, 1);
    output.depth_variance.resize(width, height, 1);
    output.median_depth.resize(width, height, 1);
  }
  if (options_.normals) output.normal.resize(width, height, 3);
  state_.resize(int64_t{binning_.tile_count()} * 4 * kTilePixels);
  const RasterTask task = {sorted_.data(),
                           binning_.pair_splat(),
                           binning_.pair_groups(),
                           window_,
                           binning_.tiles_x(),
                           {options_.background.x, options_.background.y, options_.background.z},
                           state_.data(),
                           output.color.data.data(),
                           output.alpha.data.data(),
                           options_.depth ? output.depth.data.data() : nullptr,
                           options_.depth ? output.depth_variance.data.data() : nullptr,
                           options_.depth ? output.median_depth.data.data() : nullptr,
                           options_.normals ? output.normal.data.data() : nullptr};
  const auto raster = options_.depth || options_.normals ? kernels_.raster_extras : kernels_.raster;
  evaluated_.resize(binning_.tile_count());
  for_each_tile([&](int tile, int64_t begin, int64_t end) {
    evaluated_[tile] = raster(task, tile, begin, end);
  });
  counts_.evaluated_pairs = 0;
  for (const int64_t pairs : evaluated_) counts_.evaluated_pairs += pairs;
  if (options_.depth) forward_depth_ = output.depth.data;
}

math::Vec3<double> CpuBlending::blend_backward(const RenderOutputGradient& d, bool absolute) {
  pair_gradients_.resize(counts_.tile_pairs);
  const RasterBackwardTask task = {
      sorted_.data(),
      binning_.pair_splat(),
      binning_.pair_groups(),
      window_,
      binning_.tiles_x(),
      {options_.background.x, options_.background.y, options_.background.z},
      state_.data(),
      forward_depth_.data(),
      d.color.data.data(),
      d.alpha.empty() ? nullptr : d.alpha.data.data(),
      d.depth.empty() ? nullptr : d.depth.data.data(),
      absolute,
      pair_gradients_.data()};
  struct Background {
    double value[3];
  };
  std::vector<Background> background(binning_.tile_count(), Background{});
  for_each_tile([&](int tile, int64_t begin, int64_t end) {
    kernels_.raster_backward(task, tile, begin, end, background[tile].value);
  });
  math::Vec3<double> sum = {0, 0, 0};
  for (const Background& b : background) {
    sum = sum + math::Vec3<double>{b.value[0], b.value[1], b.value[2]};
  }
  return sum;
}

void CpuBlending::reduce_pairs(CpuSplatGradient* gradients) {
  constexpr int64_t kAhead = 8;
  const int64_t splats = items_.size();
  pool_.parallel_for(splats, kReduceChunk, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      constexpr int kFloats = sizeof(CpuSplatGradient) / sizeof(float);
      CpuSplatGradient sum = {};
      float* to = sum.color;
      if (i + kAhead < end) {
        __builtin_prefetch(
            &pair_gradients_[binning_.pair_of_entry(binning_.splat_begin(i + kAhead))]);
      }
      for (int64_t e = binning_.splat_begin(i); e < binning_.splat_end(i); ++e) {
        const float* from = pair_gradients_[binning_.pair_of_entry(e)].color;
        for (int k = 0; k < kFloats; ++k) to[k] += from[k];
      }
      gradients[items_[i].value] = sum;
    }
  });
}

}  // namespace tessera::render
