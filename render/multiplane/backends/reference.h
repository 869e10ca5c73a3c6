// The definition in double, each pixel against each layer: for tests of the other backends.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "render/multiplane/multiplane_renderer.h"

namespace tessera::render {

// Runs on the calling thread alone, whatever `pool` has.
std::unique_ptr<MultiplaneRenderer> make_reference_multiplane_renderer(core::ThreadPool& pool);

}  // namespace tessera::render
