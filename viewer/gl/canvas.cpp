// SPDX-License-Identifier: MIT
#include "viewer/gl/canvas.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace tessera::viewer {

void Canvas::resize(int width, int height) {
  if (width == width_ && height == height_) return;
  const bool half = pixels_ == CanvasPixels::kHalf;
  glBindTexture(GL_TEXTURE_2D, color_.name());
  glTexImage2D(GL_TEXTURE_2D, 0, half ? GL_RGBA16F : GL_RGBA8, width, height, 0, GL_RGBA,
               half ? GL_HALF_FLOAT : GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glBindRenderbuffer(GL_RENDERBUFFER, depth_.name());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color_.name(), 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth_.name());
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw core::Error(
        fmt::format("the graphics driver cannot draw into a picture of {}x{} pixels; ask for a "
                    "smaller one",
                    width, height));
  }
  width_ = width;
  height_ = height;
}

void Canvas::bind(int width, int height) const {
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  glViewport(0, 0, width > 0 ? width : width_, height > 0 ? height : height_);
}

core::Image8 Canvas::read() const {
  core::Image8 image(width_, height_, 3);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, image.data.data());
  for (int y = 0; y < height_ / 2; ++y) {
    std::swap_ranges(image.row(y), image.row(y) + int64_t{width_} * 3, image.row(height_ - 1 - y));
  }
  return image;
}

void Canvas::write(const core::Image8& image) {
  core::Image8 upwards(image.width, image.height, 3);
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(image.row(y), int64_t{image.width} * 3, upwards.row(image.height - 1 - y));
  }
  glBindTexture(GL_TEXTURE_2D, color_.name());
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, image.width, image.height, GL_RGB, GL_UNSIGNED_BYTE,
                  upwards.data.data());
}

}  // namespace tessera::viewer
