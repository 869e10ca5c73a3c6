// Which rank draws which pixels of some pictures.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/pixel_window.h"

namespace tessera::models {

struct DrawnWindow {
  int rank = 0;              // that draws it
  int view = 0;              // in the step
  core::PixelWindow window;  // left and top on a tile's corner; not empty

  friend bool operator==(const DrawnWindow&, const DrawnWindow&) = default;
};

// In the order of ranks, the same on all of them. All windows of a view are in one round and cover
// it once; a rank has any number of windows, but of each view at most one.
using Round = std::vector<DrawnWindow>;

// Those that a rank draws.
std::span<const DrawnWindow> windows_of(const Round& round, int rank);

}  // namespace tessera::models
