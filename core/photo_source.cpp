// SPDX-License-Identifier: MIT
#include "core/photo_source.h"

#include "core/ssim.h"

namespace tessera::core {

bool is_depth_known(const Photo& photo, int64_t pixel) {
  return photo.depth.data[pixel] > 0 &&
         (photo.mask.empty() || photo.mask.data[pixel] >= kMaskThreshold);
}

PhotoCounts counts_of(const Photo& photo) {
  if (photo.counts) return *photo.counts;
  PhotoCounts counts;
  counts.pixels = photo.mask.empty()
                      ? photo.pixels.pixel_count()
                      : counted_pixels(photo.mask.width, photo.mask.height, photo.mask);
  for (int64_t i = 0; i < photo.depth.data.size(); ++i) {
    counts.depths += is_depth_known(photo, i) ? 1 : 0;
  }
  return counts;
}

bool is_masked_out(const Photo& photo) {
  return !photo.mask.empty() && counts_of(photo).pixels == 0;
}

}  // namespace tessera::core
