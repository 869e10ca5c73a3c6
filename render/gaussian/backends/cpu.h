// The CPU backend: vectors of the processor's best instruction set, a pool of threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "render/gaussian/rasterizer.h"

namespace tessera::render {

// Picks the instruction set as core::chosen_isa does. `pool` must outlive it.
std::unique_ptr<Rasterizer> make_cpu_rasterizer(core::ThreadPool& pool);

}  // namespace tessera::render
