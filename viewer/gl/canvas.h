// A picture that is drawn into: colors of 16-bit floats, and depth.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "viewer/gl/object.h"

namespace tessera::viewer {

enum class CanvasPixels { kHalf, kByte };  // RGBA16F or RGBA8

class Canvas {
 public:
  explicit Canvas(CanvasPixels pixels) : pixels_(pixels) {}

  // What it showed is lost if the size is another. Throws core::Error if the driver has no room.
  void resize(int width, int height);
  // Draws from now on go into its lower left `width` x `height` pixels, 0: all of it.
  void bind(int width = 0, int height = 0) const;

  int width() const { return width_; }
  int height() const { return height_; }
  GLuint framebuffer() const { return framebuffer_.name(); }
  GLuint texture() const { return color_.name(); }

  // RGB, the top row first.
  core::Image8 read() const;
  // Of the canvas's size, as read() gives it.
  void write(const core::Image8& image);

 private:
  CanvasPixels pixels_;
  int width_ = 0;
  int height_ = 0;
  GlTexture color_;
  GlRenderbuffer depth_;
  GlFramebuffer framebuffer_;
};

}  // namespace tessera::viewer
