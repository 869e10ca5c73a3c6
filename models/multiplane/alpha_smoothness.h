// The total variation of planes' alpha, which keeps a fit from noise where photos say little.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/thread_pool.h"
#include "models/multiplane/sharded/strips.h"

namespace tessera::models {

// Adds d/d(alpha) of weight * the sum, over texels, of |alpha - that of the texel to the right| and
// |... below| to `gradient`, of the pages' shape, for the texels of `rows` of the reference
// picture; those beside them count.
void add_alpha_smoothness(const core::MultiplaneImageF& image, const RowRange& rows, float weight,
                          std::vector<core::ImageF>& gradient, core::ThreadPool& pool);

}  // namespace tessera::models
