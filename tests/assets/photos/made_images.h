// Pictures in every layout that a decoder may meet, encoded by the formats' own libraries.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/image.h"

namespace tessera::tests {

// 37 x 29 pixels, smooth, every channel different.
core::Image8 gradient_image(int channels);

struct PngLayout {
  int color_type;  // PNG_COLOR_TYPE_...; palettes have four colors, one half transparent
  int bit_depth;
  bool interlaced;
};
// The gradient image in that layout: 16 bits hold value x 257, fewer than 8 the value's upper bits.
std::vector<uint8_t> make_png(const PngLayout& layout);

std::vector<uint8_t> make_progressive_jpeg(const core::Image8& rgb);
std::vector<uint8_t> make_lossless_webp(const core::Image8& rgba);
// 16 bits, value x 257; 1, 3 or 4 channels (unassociated alpha); deflated.
std::vector<uint8_t> make_tiff16(const core::Image8& image);

}  // namespace tessera::tests
