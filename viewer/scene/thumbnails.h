// Photos as small textures, loaded when they are first asked for.
// SPDX-License-Identifier: MIT
#pragma once

#include <list>
#include <memory>

#include "viewer/gl/picture_texture.h"
#include "viewer/scene/photo_shelf.h"

namespace tessera::viewer {

struct Thumbnail {
  GLuint texture = 0;
  float aspect = 1;  // width by height
};

class Thumbnails {
 public:
  explicit Thumbnails(Host& host);

  // Nothing while it is loaded, or if it cannot be.
  std::optional<Thumbnail> find(const core::CaptureView& view);
  bool loading() const { return shelf_.loading(); }
  void wait() { shelf_.wait(); }

 private:
  struct OnCard {
    std::shared_ptr<const ShelvedPhoto> photo;
    PictureTexture texture;
  };

  PhotoShelf shelf_;
  std::list<OnCard> on_card_;  // the last that was asked for first
};

}  // namespace tessera::viewer
