// A rectangle of pixels of a picture.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::core {

struct PixelWindow {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;

  constexpr int right() const { return left + width; }
  constexpr int bottom() const { return top + height; }
  constexpr bool empty() const { return width <= 0 || height <= 0; }

  friend constexpr bool operator==(const PixelWindow& a, const PixelWindow& b) {
    return a.left == b.left && a.top == b.top && a.width == b.width && a.height == b.height;
  }
};

// The pixels of both.
constexpr PixelWindow intersection(const PixelWindow& a, const PixelWindow& b) {
  const int left = a.left > b.left ? a.left : b.left;
  const int top = a.top > b.top ? a.top : b.top;
  const int right = a.right() < b.right() ? a.right() : b.right();
  const int bottom = a.bottom() < b.bottom() ? a.bottom() : b.bottom();
  if (right <= left || bottom <= top) return {left, top, 0, 0};
  return {left, top, right - left, bottom - top};
}

// The window and `margin` pixels around it, as far as a picture of this size has them.
constexpr PixelWindow widened(const PixelWindow& w, int margin, int picture_width,
                              int picture_height) {
  return intersection(
      {w.left - margin, w.top - margin, w.width + 2 * margin, w.height + 2 * margin},
      {0, 0, picture_width, picture_height});
}

}  // namespace tessera::core
