// The CPU backend's half that belongs to Gaussians: those of a view become splats, and gradients of
// splats become gradients of Gaussians and of the camera. The other half is cpu_blending.h; where
// Gaussians and pixels live on different ranks, splats cross between the two.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"
#include "render/gaussian/backends/cpu_kernels.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::render {

class CpuProjection {
 public:
  // `pool` and `kernels` must outlive it.
  CpuProjection(core::ThreadPool& pool, const CpuKernels& kernels)
      : pool_(pool), kernels_(kernels) {}

  void forward(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
               const RasterizeOptions& options);

  // Per Gaussian, half the larger extent of its splat; 0 where not visible.
  std::span<const float> radii() const { return {radii_.data(), static_cast<size_t>(count_)}; }
  // Stored at the Gaussian's index; of those that are not visible anything.
  const CpuSplat* splats() const { return splats_.data(); }
  // Indices of the visible Gaussians, ascending.
  core::View<const uint32_t> visible() const { return visible_.view(); }

  // dL/d of each Gaussian's splat, to be filled before backward where it is visible.
  CpuSplatGradient* splat_gradients() { return splat_gradients_.data(); }
  // Adds to and overwrites what Rasterizer::backward says, but the background's gradient.
  void backward(const core::GaussianCloud& cloud, RasterizeGradient& gradient);

 private:
  core::ThreadPool& pool_;
  const CpuKernels& kernels_;
  CameraValues camera_ = {};
  int sh_degree_ = 0;
  bool antialiased_ = false;
  int64_t count_ = 0;
  core::Array<CpuSplat> splats_;
  core::Array<float> radii_;
  core::Array<uint32_t> chunk_visible_;
  core::Array<int64_t> chunk_counts_;
  core::Array<uint32_t> visible_;
  core::Array<CpuSplatGradient> splat_gradients_;
};

}  // namespace tessera::render
