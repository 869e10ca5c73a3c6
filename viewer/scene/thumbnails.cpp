// SPDX-License-Identifier: MIT
#include "viewer/scene/thumbnails.h"

#include <algorithm>

namespace tessera::viewer {
namespace {

constexpr int kLongest = 192;
constexpr int kMost = 256;

}  // namespace

Thumbnails::Thumbnails(Host& host) : shelf_(host, kMost) {}

std::optional<Thumbnail> Thumbnails::find(const core::CaptureView& view) {
  const std::shared_ptr<const ShelvedPhoto> photo = shelf_.find(view, kLongest);
  if (photo == nullptr || !photo->failure.empty()) return std::nullopt;
  const auto found = std::find_if(on_card_.begin(), on_card_.end(),
                                  [&photo](const OnCard& held) { return held.photo == photo; });
  if (found != on_card_.end()) {
    on_card_.splice(on_card_.begin(), on_card_, found);
  } else {
    on_card_.push_front({photo, PictureTexture(photo->photo.pixels)});
    if (on_card_.size() > kMost) on_card_.pop_back();
  }
  const core::Image8& pixels = photo->photo.pixels;
  return Thumbnail{on_card_.front().texture.name(),
                   static_cast<float>(pixels.width) / static_cast<float>(pixels.height)};
}

}  // namespace tessera::viewer
