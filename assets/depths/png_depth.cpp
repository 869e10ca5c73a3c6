// Depth maps as grey PNG of 8 or 16 bits. Those of 8 bits may also be RGB with equal channels, as
// many programs write grey; alpha is left out.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "assets/depths/depth_readers.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr int64_t kBitDepthAt = 24;  // within the header chunk, which probe_png has found

DepthFile grey_of(const core::Image8& image, const ImageBytes& file) {
  DepthFile depth{core::ImageF(image.width, image.height, 1), "PNG", 8, true, ""};
  for (int64_t i = 0; i < image.pixel_count(); ++i) {
    const uint8_t* pixel = image.data.data() + i * image.channels;
    if (image.channels > 1 && (pixel[0] != pixel[1] || pixel[0] != pixel[2])) {
      throw core::IoError(file.path,
                          fmt::format("has colors (at pixel {}, {}), but a depth map has "
                                      "one channel; save it as grey",
                                      i % image.width, i / image.width));
    }
    depth.values.data[i] = pixel[0];
  }
  if (image.channels == 4) depth.note = "Its alpha channel is left out.";
  return depth;
}

}  // namespace

DepthFile read_png_depth(const ImageBytes& file) {
  probe_png(file);
  const int bits = file.bytes[kBitDepthAt];
  if (bits == 8) return grey_of(decode_png(file), file);
  if (bits != 16) {
    throw core::IoError(file.path, fmt::format("has {} bits per pixel; depth maps of 8 and 16 are "
                                               "read",
                                               bits));
  }
  const Image16 image = decode_png16(file);
  DepthFile depth{core::ImageF(image.width, image.height, 1), "PNG", 16, true, ""};
  std::copy(image.data.begin(), image.data.end(), depth.values.data.begin());
  return depth;
}

}  // namespace tessera::assets
