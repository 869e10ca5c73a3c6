// A fitted multiplane image as one that is kept and shown: bytes, and of each layer the parts that
// are not clear.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/multiplane_image.h"

namespace tessera::models {

// Each layer is cut into the parts of it that hang together, by blocks of texels; each becomes a
// layer that is cropped to it, with nothing of other parts in it. So there are no seams. Throws
// core::Error for a part that no page has room for.
core::MultiplaneImage cropped_layers(const core::MultiplaneImageF& image);

}  // namespace tessera::models
