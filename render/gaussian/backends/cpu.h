// The CPU backend: vectors of the processor's best instruction set, a pool of threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "render/gaussian/backends/cpu_kernels.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::render {

// Those of the instruction set that core::chosen_isa names.
const CpuKernels& chosen_cpu_kernels();

// `pool` must outlive it.
std::unique_ptr<Rasterizer> make_cpu_rasterizer(core::ThreadPool& pool);

}  // namespace tessera::render
