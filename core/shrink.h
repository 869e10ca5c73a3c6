// Photos made smaller by averaging over the area that each new pixel covers.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/photo_source.h"

namespace tessera::core {

// Pixels and mask; at most the photo's own size. The mask stays empty if it was.
Photo shrink(const Photo& photo, int width, int height);

}  // namespace tessera::core
