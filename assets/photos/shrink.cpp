// SPDX-License-Identifier: MIT
#include "assets/photos/shrink.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "assets/photos/pixel_average.h"

namespace tessera::assets {
namespace {

// How much of the old pixel `i` the new pixel covers that spans [begin, end).
float covered(int i, double begin, double end) {
  return static_cast<float>(std::min(end, i + 1.0) - std::max(begin, static_cast<double>(i)));
}

// The old pixels that new pixel `i` covers, at least in part.
struct Span {
  double begin, end;
  int first, last;

  Span(int i, int old_size, int new_size)
      : begin(static_cast<double>(i) * old_size / new_size),
        end(static_cast<double>(i + 1) * old_size / new_size),
        first(static_cast<int>(begin)),
        last(std::min(old_size, static_cast<int>(std::ceil(end))) - 1) {}
};

}  // namespace

core::Photo shrink(const core::Photo& photo, int width, int height) {
  const int channels = photo.pixels.channels;
  core::Photo result;
  result.pixels = core::Image8(width, height, channels);
  core::Image8 mask(width, height, 1);
  std::vector<PixelAverage> sums(width);
  for (int y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), PixelAverage{});
    const Span rows(y, photo.pixels.height, height);
    for (int sy = rows.first; sy <= rows.last; ++sy) {
      const float row_weight = covered(sy, rows.begin, rows.end);
      for (int x = 0; x < width; ++x) {
        const Span columns(x, photo.pixels.width, width);
        PixelAverage part;
        for (int sx = columns.first; sx <= columns.last; ++sx) {
          part.add(photo, sx, sy, covered(sx, columns.begin, columns.end));
        }
        sums[x].add(part, row_weight);
      }
    }
    for (int x = 0; x < width; ++x) {
      mask.at(x, y) = sums[x].store(&result.pixels.at(x, y), channels);
    }
  }
  if (!photo.mask.empty()) result.mask = std::move(mask);
  return result;
}

}  // namespace tessera::assets
