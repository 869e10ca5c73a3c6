// The double backend as a Rasterizer, for tests of the others: see reference_render.h.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "render/gaussian/rasterizer.h"

namespace tessera::render {

// Runs on the calling thread alone, whatever `pool` has.
std::unique_ptr<Rasterizer> make_reference_rasterizer(core::ThreadPool& pool);

}  // namespace tessera::render
