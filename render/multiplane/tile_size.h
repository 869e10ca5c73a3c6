// The side of the tiles in which multiplane images are drawn, in pixels of the target.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::render {

inline constexpr int kMultiplaneTile = 16;

}  // namespace tessera::render
