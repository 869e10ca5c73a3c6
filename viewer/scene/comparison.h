// A photo beside what is drawn from its camera.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "core/image.h"

namespace tessera::viewer {

enum class Comparison { kOff, kSideBySide, kSplit, kDifference, kError };

struct ComparisonEntry {
  Comparison comparison;
  std::string_view name;   // of commands
  std::string_view title;  // of menus and panels
};
inline constexpr ComparisonEntry kComparisons[] = {
    {Comparison::kOff, "off", "The scene alone"},
    {Comparison::kSideBySide, "side", "Side by side"},
    {Comparison::kSplit, "split", "Split"},
    {Comparison::kDifference, "difference", "Difference"},
    {Comparison::kError, "error", "Error map"},
};

// Render and photo, of one size and 3 channels, as one picture: twice as wide side by side (the
// render on the left), else of their size. A split shows the render left of `split` of the width
// and the photo right of it. The difference is that of each channel, the error map
// core::difference_picture. Where `mask` (may be empty) is 0 the photo says nothing.
core::Image8 compare(Comparison comparison, const core::Image8& render, const core::Image8& photo,
                     const core::Image8& mask, double split);

}  // namespace tessera::viewer
