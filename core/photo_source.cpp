// SPDX-License-Identifier: MIT
#include "core/photo_source.h"

#include <algorithm>

#include "core/ssim.h"

namespace tessera::core {

bool is_masked_out(const Photo& photo) {
  return !photo.mask.empty() && std::all_of(photo.mask.data.begin(), photo.mask.data.end(),
                                            [](uint8_t value) { return value < kMaskThreshold; });
}

}  // namespace tessera::core
