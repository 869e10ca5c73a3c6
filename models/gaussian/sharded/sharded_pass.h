// The pass of many ranks: each projects the Gaussians it owns for all views of the step, splats go
// to the ranks that draw the pixels they touch, gradients come back.
//
// Zhao et al., "On Scaling Up 3D Gaussian Splatting Training", 2024. With at least as many views as
// ranks views are drawn whole, and a run gives the same bits on any number of ranks; with fewer,
// each view is cut into blocks of tiles, and sums over a splat's pixels are taken block by block.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "distributed/communicator.h"
#include "models/gaussian/view_pass.h"

namespace tessera::models {

// `ranks` must outlive it. Every rank calls run() with the same step. Throws core::UsageError if
// the settings' rasterizer is not the CPU's.
std::unique_ptr<ViewPass> make_sharded_pass(const PassContext& context,
                                            distributed::Communicator& ranks);

}  // namespace tessera::models
