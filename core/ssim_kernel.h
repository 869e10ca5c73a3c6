// What the SSIM kernel works on: plain pointers, for the object files of every instruction set.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::core {

inline constexpr int kSsimRadius = 5;  // the window has 11 taps
inline constexpr int kSsimTaps = 2 * kSsimRadius + 1;

// Sums over one row of a strip, over the values that count.
struct SsimRowSums {
  float absolute = 0;   // |render - photo|
  float ssim = 0;       // SSIM
  float structure = 0;  // SSIM without its luminance factor
};

// A block of one comparison: its own rows and columns; it reads 10 more on each side.
struct SsimTask {
  int width = 0;
  int height = 0;
  int channels = 0;
  int row_begin = 0;
  int row_end = 0;
  int column_begin = 0;
  int column_end = 0;
  int margin = 0;  // pixels along each border that do not count themselves; 0 with a gradient
  const float* render = nullptr;    // [height][width][channels]
  const float* photo = nullptr;     // this one or photo8
  const uint8_t* photo8 = nullptr;  // 0..255
  const uint8_t* mask = nullptr;    // one a pixel, or null: all count
  SsimRowSums* sums = nullptr;      // [height]
  float* gradient = nullptr;        // like render; null: not wanted
  float absolute_gradient = 0;      // dL / d(sum of |render - photo|)
  float ssim_gradient = 0;          // dL / d(sum of SSIM)
  float* scratch = nullptr;         // ssim_scratch_size floats, aligned to 64 bytes
};

// Rows filtered at a time: each row in flight is then loaded 14/4 times instead of 11.
inline constexpr int kSsimGroup = 4;
inline constexpr int kSsimRing = kSsimTaps + kSsimGroup - 1;
inline constexpr int kSsimSide = 32;  // floats beside a filtered row that are zero; >= 5 * channels

// Where the first of a block's own values stands in a row in flight: after at least 10 pixels, at a
// whole vector of any kind.
constexpr int64_t ssim_row_origin(int channels) {
  return (int64_t{2 * kSsimRadius} * channels + 15) / 16 * 16;
}
// Floats of a row in flight for a block of this many columns.
constexpr int64_t ssim_row_floats(int columns, int channels) {
  return ssim_row_origin(channels) + (int64_t{columns + 2 * kSsimRadius} * channels + 15) / 16 * 16;
}
inline constexpr int kSsimSlack = 16;  // floats past a row that its last vector may reach
// Floats of scratch: 3 rows of their own, rings of 4 pixel fields, the mask and 3 derivatives, and
// 4 fields of filtered rows.
constexpr int64_t ssim_scratch_size(int columns, int channels) {
  const int64_t row = ssim_row_floats(columns, channels) + kSsimSlack;
  return (3 + 8 * kSsimRing) * row + 4 * kSsimGroup * (row + 2 * kSsimSide);
}

// A mask's value from which on a pixel counts.
inline constexpr uint8_t kMaskThreshold = 128;

}  // namespace tessera::core
