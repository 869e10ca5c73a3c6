// False matches in a disparity map: small pieces that seem to float before all around them. Small
// pieces that are not nearer than what is beside them are mostly right: parts of leaves and edges.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/image.h"

namespace tessera::models {

struct IslandLimits {
  int64_t pixels = 0;      // a piece of more is none
  float step = 4;          // neighbors along rows and columns of one piece differ by at most this
  float standing_out = 4;  // pixels of disparity before what is known to its left and right
};

// They become 0, unknown. `disparity` is [height][width][1], in pixels.
void clear_islands(core::ImageF& disparity, const IslandLimits& limits);

}  // namespace tessera::models
