// The CPU backend: vectors of the processor's best instruction set, a pool of threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "render/multiplane/multiplane_renderer.h"

namespace tessera::render {

// `pool` must outlive it.
std::unique_ptr<MultiplaneRenderer> make_cpu_multiplane_renderer(core::ThreadPool& pool);

}  // namespace tessera::render
