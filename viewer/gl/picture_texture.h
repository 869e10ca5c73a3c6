// A picture on the card.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "viewer/gl/object.h"

namespace tessera::viewer {

class PictureTexture {
 public:
  explicit PictureTexture(const core::Image8& picture);  // 3 channels

  GLuint name() const { return texture_.name(); }

 private:
  GlTexture texture_;
};

}  // namespace tessera::viewer
