// How splats are shown.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tessera::viewer {

enum class DrawMode : int {
  kSplats,
  kCenters,
  kEllipsoids,
  kDepth,
  kNormals,
  kAlpha,
  kOverlaps,
};

struct DrawModeEntry {
  std::string_view name;   // as typed
  std::string_view title;  // as shown
};
// In the order of DrawMode.
inline constexpr DrawModeEntry kDrawModes[] = {
    {"splats", "Splats"},     {"centers", "Centers"}, {"ellipsoids", "Ellipsoids"},
    {"depth", "Depth"},       {"normals", "Normals"}, {"alpha", "Opacity"},
    {"overlaps", "Overlaps"},
};

}  // namespace tessera::viewer
