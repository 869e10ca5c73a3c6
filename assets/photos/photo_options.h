// How photos are read: their size, distortion and masks, and what of a set.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::assets {

// Of the views of a set, from `index` on each `count`-th.
struct PhotoPart {
  int index = 0;
  int count = 1;
};

struct PhotoOptions {
  int resolution = 1;            // -r: 1, 2, 4 or 8 divides; a larger number is the width wanted
  int max_resolution = 0;        // the longer side is at most this many pixels; 0: no limit
  bool native_camera = false;    // keep lens distortion instead of undoing it
  bool invert_masks = false;     // black = keep
  bool skip_bad_images = false;  // a photo that cannot be read is left out with a warning
  bool load_depth = false;       // fill Photo::depth from the capture's depth files
  int64_t cache_bytes = 0;       // budget for decoded photos; 0: no limit
  PhotoPart opened;              // what is decoded when the set is opened
};

}  // namespace tessera::assets
