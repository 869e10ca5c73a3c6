// SPDX-License-Identifier: MIT
#include <webp/decode.h>

#include <cstring>

#include "assets/photos/decoders.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

WebPBitstreamFeatures features_of(const ImageBytes& file) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file.bytes.data, file.bytes.size, &features) != VP8_STATUS_OK) {
    throw_damaged(file, "WebP", "no header");
  }
  if (features.has_animation != 0) {
    throw core::IoError(file.path, "an animated WebP is not a photo; save one frame of it");
  }
  check_image_size(file, features.width, features.height);
  return features;
}

}  // namespace

bool is_webp(core::View<const uint8_t> start) {
  return start.size >= 12 && std::memcmp(start.data, "RIFF", 4) == 0 &&
         std::memcmp(start.data + 8, "WEBP", 4) == 0;
}

ImageInfo probe_webp(const ImageBytes& file) {
  const WebPBitstreamFeatures features = features_of(file);
  return {features.width, features.height, 1};
}

core::Image8 decode_webp(const ImageBytes& file) {
  const WebPBitstreamFeatures features = features_of(file);
  const bool alpha = features.has_alpha != 0;
  core::Image8 image(features.width, features.height, alpha ? 4 : 3);
  const auto decode = alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (decode(file.bytes.data, file.bytes.size, image.data.data(), image.data.size(),
             image.width * image.channels) == nullptr) {
    throw_damaged(file, "WebP", "no whole picture");
  }
  return image;
}

}  // namespace tessera::assets
