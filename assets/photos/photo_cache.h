// A capture's photos for training and evaluation: decoded, undistorted, scaled, within a budget.
//
// Every photo is decoded once when the set is opened, so a broken file is named before the first
// step. What fits into the budget stays decoded at its final size, 8 bits per channel; the rest is
// decoded again from its file by a thread that runs ahead of the caller. The pixels are the same
// either way.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/capture.h"
#include "core/log.h"
#include "core/photo_source.h"
#include "core/thread_pool.h"

namespace tessera::assets {

struct PhotoOptions {
  int resolution = 1;            // -r: 1, 2, 4 or 8 divides; a larger number is the width wanted
  int max_resolution = 0;        // the longer side is at most this many pixels; 0: no limit
  bool native_camera = false;    // keep lens distortion instead of undoing it
  bool invert_masks = false;     // black = keep
  bool skip_bad_images = false;  // a photo that cannot be read is left out with a warning
  bool load_depth = false;       // fill Photo::depth from the capture's depth files
  int64_t cache_bytes = 0;       // budget for decoded photos; 0: no limit
};

// What a set will need, known from the cameras alone.
struct PhotoPlan {
  int64_t decoded_bytes = 0;  // all photos decoded at their final size
  int64_t minimum_bytes = 0;  // the least cache_bytes that works
};

// `views` are indices into capture.views. Throws UsageError for a resolution that cannot be meant.
PhotoPlan plan_photos(const core::Capture& capture, const std::vector<int>& views,
                      const PhotoOptions& options);

// Opens the views in the order given and decodes each once (on `pool`; kept no longer than the
// call). What was done (new intrinsics, sizes, masks found, memory) goes to `log`.
// Throws IoError naming the photos that cannot be read, or the budget if it is too small. With
// skip_bad_images count() may be less than views.size(); names tell which are left.
std::unique_ptr<core::PhotoSource> open_photos(const core::Capture& capture,
                                               const std::vector<int>& views,
                                               const PhotoOptions& options, core::ThreadPool& pool,
                                               core::Log& log);

}  // namespace tessera::assets
