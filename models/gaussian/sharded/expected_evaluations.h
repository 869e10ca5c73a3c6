// How many (pixel, splat) pairs blending will evaluate, told from the splats alone: for views that
// were not drawn yet.
//
// A pixel is finished once splats of enough optical depth were blended, whichever they are. So of
// what a cell of the picture holds, the part that lies within that depth is evaluated, the mean
// depth of the cell's pixels taken for each of them. That the order does not matter is true as far
// as splats in front and behind are alike.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::models {

// What splats would add to a tile if nothing hid them, in whole numbers: their sums do not depend
// on the order.
struct UnhiddenLoad {
  int64_t evaluations = 0;
  int64_t optical_depth = 0;  // -log(1 - alpha) summed over the pixels, in 1/64

  UnhiddenLoad& operator+=(const UnhiddenLoad& other) {
    evaluations += other.evaluations;
    optical_depth += other.optical_depth;
    return *this;
  }
};

// Of one splat, for each of the tiles that its box touches: the mean over where it may lie among
// them.
UnhiddenLoad unhidden_load(const render::CpuSplat& splat);

// The part of a cell's load's evaluations that is not hidden.
double expected_evaluations(const UnhiddenLoad& load, int64_t pixels);

}  // namespace tessera::models
