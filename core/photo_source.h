// Photos as a trainer or an evaluation asks for them, one by one: decoded, scaled, undistorted.
//
// The interface stands here because those who ask (models) and those who decode (assets) do not
// know one another; apps join them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/camera.h"
#include "core/image.h"

namespace tessera::core {

// How much of a photo says something.
struct PhotoCounts {
  int64_t pixels = 0;  // that the mask leaves
  int64_t depths = 0;  // of these, with a known depth
};

struct Photo {
  Image8 pixels;  // 3 channels, or 4 with straight alpha that is to be composited over a background
  Image8 mask;    // 1 channel: 0 = the pixel counts for nothing, 255 = it counts; empty: all count
  ImageF depth;   // 1 channel, metres along the camera's z, 0 = unknown; empty if there is none
  std::optional<PhotoCounts> counts;  // of the pictures above; nothing if they were not counted yet
};

// Whether the photo says how far away the pixel is.
bool is_depth_known(const Photo& photo, int64_t pixel);

// The photo's own counts if it has any.
PhotoCounts counts_of(const Photo& photo);

// Whether the mask leaves no pixel of the photo.
bool is_masked_out(const Photo& photo);

class PhotoSource {
 public:
  virtual ~PhotoSource() = default;

  virtual int count() const = 0;
  virtual const std::string& name(int view) const = 0;
  // The camera that fits the photo as `photo` gives it: scaled to its size, and a pinhole one
  // unless native projection was asked for.
  virtual const PosedCamera& camera(int view) const = 0;
  // Whether the mask leaves no pixel of the photo, so that there is nothing to learn or measure.
  virtual bool is_masked_out(int view) const = 0;
  // Blocks until the photo is there. May be called from one thread at a time.
  // Throws IoError if the file cannot be read.
  virtual std::shared_ptr<const Photo> photo(int view) = 0;
  // A hint that this view will be asked for soon.
  virtual void prefetch(int view) = 0;
};

}  // namespace tessera::core
