// Pictures as plain arrays, rows from the top, channels interleaved.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <cstring>

#include "core/array.h"
#include "core/pixel_window.h"

namespace tessera::core {

template <class T>
struct BasicImage {
  int width = 0;
  int height = 0;
  int channels = 0;
  Array<T> data;  // [height][width][channels]

  BasicImage() = default;
  BasicImage(int width_, int height_, int channels_)
      : width(width_),
        height(height_),
        channels(channels_),
        data(int64_t{width_} * height_ * channels_) {}

  // Elements are left as they come.
  void resize(int width_, int height_, int channels_) {
    width = width_;
    height = height_;
    channels = channels_;
    data.resize(int64_t{width} * height * channels);
  }

  bool empty() const { return data.empty(); }
  PixelWindow window() const { return {0, 0, width, height}; }
  int64_t pixel_count() const { return int64_t{width} * height; }
  T* row(int y) { return data.data() + int64_t{y} * width * channels; }
  const T* row(int y) const { return data.data() + int64_t{y} * width * channels; }
  T& at(int x, int y, int c = 0) { return row(y)[int64_t{x} * channels + c]; }
  const T& at(int x, int y, int c = 0) const { return row(y)[int64_t{x} * channels + c]; }

  friend bool operator==(const BasicImage& a, const BasicImage& b) {
    return a.width == b.width && a.height == b.height && a.channels == b.channels &&
           a.data == b.data;
  }
};

// Copies a rectangle of pixels from one picture to another of as many channels.
template <class T>
void copy_pixels(const BasicImage<T>& from, int from_x, int from_y, BasicImage<T>& to, int to_x,
                 int to_y, int width, int height) {
  for (int y = 0; y < height; ++y) {
    std::memcpy(&to.at(to_x, to_y + y), &from.at(from_x, from_y + y),
                sizeof(T) * width * from.channels);
  }
}

// `to` becomes that part of a picture.
template <class T>
void crop(const BasicImage<T>& from, const PixelWindow& window, BasicImage<T>& to) {
  to.resize(window.width, window.height, from.channels);
  copy_pixels(from, window.left, window.top, to, 0, 0, window.width, window.height);
}

using Image8 = BasicImage<uint8_t>;  // photos: sRGB values 0..255; 1 grey or mask, 3 RGB, 4 RGBA
using ImageF = BasicImage<float>;    // renders and losses: sRGB values 0..1

}  // namespace tessera::core
