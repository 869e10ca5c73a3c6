// Multiplane images of one photo with depth, refined by a trained network: the colors of layers
// where nearer ones hide them, and color and alpha beside edges.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "core/multiplane_image.h"
#include "core/tensor_map.h"
#include "core/thread_pool.h"

namespace tessera::models {

// The reference view differs from the one before by no less than this PSNR, in dB: where it would,
// what is changed of visible texels is scaled down.
inline constexpr double kReferencePsnr = 50;

// Called with the number of patches that are refined and that there are.
using RefineProgress = std::function<void(int64_t done, int64_t total)>;

// `weights` as RefinerTrainer::weights() gives them. Planes and windows stay. The same for the same
// number of threads. Throws core::Error for weights of another network.
core::MultiplaneImage refined_multiplane(const core::MultiplaneImage& image,
                                         const core::TensorMap& weights, core::ThreadPool& pool,
                                         const RefineProgress& progress);

}  // namespace tessera::models
