// The rasterizer as a function of LibTorch's autograd, for networks that give Gaussians.
//
// Only this file pair of the renderer knows LibTorch, and it is a target of its own
// (tessera_render_torch): the Gaussian trainer calls forward and backward itself and starts without
// LibTorch's 116 MB.
// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "core/camera.h"
#include "core/thread_pool.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::render {

struct TorchRender {
  at::Tensor color;  // [height][width][3], float32
  at::Tensor alpha;  // [height][width]
  at::Tensor depth;  // [height][width]; undefined unless options.depth
};

// Draws Gaussians from one camera by the backend of that name. `parameters` is float32 on the CPU,
// [plane_count(sh_degree)][n], the planes in core::GaussianCloud's order; `background` is float32
// [3] and stands in place of options.background. Gradients flow to both, once: asking for second
// derivatives throws core::Error. `pool` must outlive the graph. Throws core::Error for tensors of
// another kind or shape, and what Rasterizer::forward throws.
TorchRender rasterize(std::string_view backend, core::ThreadPool& pool,
                      const at::Tensor& parameters, const at::Tensor& background,
                      const core::PosedCamera& camera, const RasterizeOptions& options);

}  // namespace tessera::render
