// A capture's photos for training and evaluation: decoded, undistorted, scaled, within a budget.
//
// Every photo is decoded once when the set is opened, so a broken file is named before the first
// step. Processes that open the same set decode a part of it each and tell one another what they
// found. What fits into the budget stays decoded at its final size, 8 bits per channel
// (photo_store.h).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assets/photos/photo_options.h"
#include "assets/photos/photo_store.h"
#include "core/capture.h"
#include "core/log.h"
#include "core/thread_pool.h"

namespace tessera::assets {

// What a set will need, known from the cameras alone.
struct PhotoPlan {
  int64_t decoded_bytes = 0;  // all photos decoded at their final size
  int64_t minimum_bytes = 0;  // the least cache_bytes that works
};

// `views` are indices into capture.views. Throws UsageError for a resolution that cannot be meant.
PhotoPlan plan_photos(const core::Capture& capture, const std::vector<int>& views,
                      const PhotoOptions& options);

// What decoding a photo showed.
struct PhotoCheck {
  std::string failure;  // empty if it can be used
  bool masked_out = false;
};

// A set that is being opened. What is done (new intrinsics, sizes, masks found, memory) goes to
// `log`.
class PhotoOpening {
 public:
  // Decodes options.opened of the views, on `pool` (kept no longer than the call); `capture` and
  // `log` must outlive it. Throws core::IoError for a view without a file, core::UsageError if the
  // budget is too small.
  PhotoOpening(const core::Capture& capture, const std::vector<int>& views,
               const PhotoOptions& options, core::ThreadPool& pool, core::Log& log);
  PhotoOpening(PhotoOpening&&) noexcept;
  ~PhotoOpening();

  // Of each view, in the order given. Those of other parts are to be set before finish().
  std::vector<PhotoCheck>& checks() { return checks_; }

  // The photos, in the order given. Throws core::IoError naming those that cannot be used. With
  // skip_bad_images they are left out, so count() may be less than the number of views; names tell
  // which are left. To be called once.
  std::unique_ptr<PhotoStore> finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::vector<PhotoCheck> checks_;
};

// Opens a set of which this process decodes all.
std::unique_ptr<PhotoStore> open_photos(const core::Capture& capture, const std::vector<int>& views,
                                        const PhotoOptions& options, core::ThreadPool& pool,
                                        core::Log& log);

}  // namespace tessera::assets
