// Every rasterizer backend, the CPU's once per instruction set that this machine has.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "render/gaussian/rasterizer.h"
#include "tests/support/backend_variant.h"

namespace tessera::test {

using RasterVariant = BackendVariant<render::Rasterizer>;

inline std::vector<RasterVariant> raster_variants() {
  return backend_variants(render::rasterizers(), render::make_rasterizer);
}

}  // namespace tessera::test
