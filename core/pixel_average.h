// A weighted mean of photo pixels in which masked pixels count for nothing and transparent ones
// give no color.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/photo_source.h"

namespace tessera::core {

struct PixelAverage {
  float color[3] = {0, 0, 0};  // sums of weight x alpha x value
  float color_weight = 0;      // sum of weight x alpha
  float kept_weight = 0;       // sum of weight where the mask keeps
  float weight = 0;

  void add(const Photo& photo, int x, int y, float w) {
    weight += w;
    if (!photo.mask.empty() && photo.mask.at(x, y) == 0) return;
    const uint8_t* pixel = &photo.pixels.at(x, y);
    const float cw = photo.pixels.channels == 4 ? w * static_cast<float>(pixel[3]) : w * 255.0F;
    kept_weight += w;
    color_weight += cw;
    for (int c = 0; c < 3; ++c) color[c] += cw * static_cast<float>(pixel[c]);
  }
  // Writes 3 or 4 channels; returns the mask: 255 if at least half of the weight is kept. What is
  // masked out is black, so that nothing depends on it.
  uint8_t store(uint8_t* pixel, int channels) const {
    const bool kept = kept_weight > 0 && kept_weight >= 0.5F * weight;
    for (int c = 0; c < 3; ++c) {
      const bool colored = kept && color_weight > 0;
      pixel[c] = colored ? static_cast<uint8_t>(color[c] / color_weight + 0.5F) : uint8_t{0};
    }
    if (channels == 4) {
      pixel[3] = kept ? static_cast<uint8_t>(color_weight / kept_weight + 0.5F) : uint8_t{0};
    }
    return kept ? 255 : 0;
  }
};

}  // namespace tessera::core
