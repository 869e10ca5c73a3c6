// SPDX-License-Identifier: MIT
#include "core/shrink.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/pixel_average.h"

namespace tessera::core {
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

// Sums of weight x value of three channels.
struct ColorSum {
  float color[3] = {0, 0, 0};
  float weight = 0;
};

// Every pixel counts and there is no alpha.
void shrink_colors(const Image8& image, const std::vector<Span>& columns, Image8& result) {
  std::vector<ColorSum> sums(result.width);
  for (int y = 0; y < result.height; ++y) {
    std::fill(sums.begin(), sums.end(), ColorSum{});
    const Span rows(y, image.height, result.height);
    for (int sy = rows.first; sy <= rows.last; ++sy) {
      const float row_weight = covered(sy, rows.begin, rows.end);
      const uint8_t* row = image.row(sy);
      for (int x = 0; x < result.width; ++x) {
        const Span& span = columns[x];
        ColorSum& sum = sums[x];
        for (int sx = span.first; sx <= span.last; ++sx) {
          const float weight = row_weight * covered(sx, span.begin, span.end);
          for (int c = 0; c < 3; ++c) sum.color[c] += weight * static_cast<float>(row[3 * sx + c]);
          sum.weight += weight;
        }
      }
    }
    for (int x = 0; x < result.width; ++x) {
      const float inverse_weight = 1 / sums[x].weight;
      for (int c = 0; c < 3; ++c) {
        result.at(x, y, c) = static_cast<uint8_t>(sums[x].color[c] * inverse_weight + 0.5F);
      }
    }
  }
}

void shrink_kept(const Photo& photo, const std::vector<Span>& columns, Image8& result,
                 Image8& mask) {
  std::vector<PixelAverage> sums(result.width);
  for (int y = 0; y < result.height; ++y) {
    std::fill(sums.begin(), sums.end(), PixelAverage{});
    const Span rows(y, photo.pixels.height, result.height);
    for (int sy = rows.first; sy <= rows.last; ++sy) {
      const float row_weight = covered(sy, rows.begin, rows.end);
      for (int x = 0; x < result.width; ++x) {
        const Span& span = columns[x];
        for (int sx = span.first; sx <= span.last; ++sx) {
          sums[x].add(photo, sx, sy, row_weight * covered(sx, span.begin, span.end));
        }
      }
    }
    for (int x = 0; x < result.width; ++x) {
      mask.at(x, y) = sums[x].store(&result.at(x, y), result.channels);
    }
  }
}

}  // namespace

Photo shrink(const Photo& photo, int width, int height) {
  const int channels = photo.pixels.channels;
  std::vector<Span> columns;
  columns.reserve(width);
  for (int x = 0; x < width; ++x) columns.emplace_back(x, photo.pixels.width, width);
  Photo result;
  result.pixels = Image8(width, height, channels);
  if (photo.mask.empty() && channels == 3) {
    shrink_colors(photo.pixels, columns, result.pixels);
    return result;
  }
  Image8 mask(width, height, 1);
  shrink_kept(photo, columns, result.pixels, mask);
  if (!photo.mask.empty()) result.mask = std::move(mask);
  return result;
}

}  // namespace tessera::core
