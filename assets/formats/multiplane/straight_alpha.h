// Premultiplied texels as straight ones and back, without loss.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/image.h"

namespace tessera::assets {

// The straight value of a premultiplied one up to `alpha`; premultiplied() gives it back exactly.
inline uint8_t straight(int value, int alpha) {
  if (alpha == 0) return 0;
  const int rounded = (value * 255 + alpha / 2) / alpha;
  return static_cast<uint8_t>(rounded < 255 ? rounded : 255);
}

inline uint8_t premultiplied(int value, int alpha) {
  return static_cast<uint8_t>((value * alpha + 127) / 255);
}

// Whether a premultiplied page of RGBA comes back: no color is above its alpha.
bool comes_back(const core::Image8& page);

// Texels with alpha 0 up to four away from others get the mean color of their neighbors, so that
// programs that mix straight texels draw no dark seams.
core::Image8 straight_page(const core::Image8& premultiplied_page);

core::Image8 premultiplied_page(core::Image8 straight_page);

}  // namespace tessera::assets
