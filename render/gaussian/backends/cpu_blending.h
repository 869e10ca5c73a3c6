// The CPU backend's half that belongs to pixels: splats of a view, from whatever source, are
// ordered, binned and blended into a window of its picture; and gradients of the pixels become
// gradients of the splats.
//
// A picture that is drawn in windows has the same bits as one that is drawn whole, as long as each
// window's corner lies on a tile's.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/array.h"
#include "core/math/vec.h"
#include "core/pixel_window.h"
#include "core/thread_pool.h"
#include "core/view.h"
#include "render/gaussian/backends/cpu_binning.h"
#include "render/gaussian/backends/cpu_kernels.h"
#include "render/gaussian/backends/depth_sort.h"
#include "render/gaussian/rasterizer.h"
#include "render/gaussian/stage_times.h"

namespace tessera::render {

// Splats splats[which[k]], each with the id of its Gaussian at the same index.
struct CpuSplatList {
  const CpuSplat* splats = nullptr;
  const uint64_t* ids = nullptr;
  core::View<const uint32_t> which;
};

class CpuBlending {
 public:
  // `pool` and `kernels` must outlive it.
  CpuBlending(core::ThreadPool& pool, const CpuKernels& kernels) : pool_(pool), kernels_(kernels) {}

  // Fills `output`, pictures of the window's size, and keeps what backward needs. The window's left
  // and top are multiples of kTileSize; splats may lie beside it.
  void forward(const CpuSplatList& list, const core::PixelWindow& window,
               const RasterizeOptions& options, RenderOutput& output);
  // Sets gradients[which[k]] for each splat of the list, and returns dL/d(background). `absolute`:
  // also CpuSplatGradient::absolute_*.
  math::Vec3<double> backward(const RenderOutputGradient& output_gradient, bool absolute,
                              CpuSplatGradient* gradients);

  RasterizeCounts counts() const { return counts_; }
  // Of the last forward, per tile of the window: (pixel, splat) pairs that were evaluated.
  core::View<const int64_t> evaluated_per_tile() const { return evaluated_.view(); }
  void take_stage_times(std::vector<StageTime>& times) { times_.take(times); }

 private:
  void sort_by_depth(const CpuSplatList& list);
  void order_equal_depths(const CpuSplatList& list);
  void gather_sorted(const CpuSplat* splats);
  void blend(RenderOutput& output);
  math::Vec3<double> blend_backward(const RenderOutputGradient& d, bool absolute);
  void reduce_pairs(CpuSplatGradient* gradients);
  template <class Body>
  void for_each_tile(const Body& body);

  core::ThreadPool& pool_;
  const CpuKernels& kernels_;
  core::PixelWindow window_;
  RasterizeOptions options_;
  RasterizeCounts counts_;
  StageTimes times_;

  core::Array<SortItem> items_, sort_scratch_;
  core::Array<CpuSplat> sorted_;  // in the order of blending, as items_
  CpuBinning binning_;
  core::Array<float> state_;
  core::Array<int64_t> evaluated_;
  core::Array<float> forward_depth_;
  core::Array<CpuSplatGradient> pair_gradients_;
};

}  // namespace tessera::render
