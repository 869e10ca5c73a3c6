// The photos of an opened set, by number.
//
// What there is room for stays decoded from when it was first asked for, or from the opening; the
// rest is decoded again from its file by a thread that runs ahead of the caller. The pixels are the
// same either way.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assets/photos/decode_ahead.h"
#include "assets/photos/photo_loader.h"
#include "assets/photos/photo_options.h"
#include "core/capture.h"
#include "core/photo_source.h"

namespace tessera::assets {

struct StoredPhoto {
  core::CaptureView view;
  PhotoGeometry geometry;
  core::PosedCamera camera;
  int64_t bytes = 0;                         // decoded
  std::shared_ptr<const core::Photo> photo;  // null where it does not stay decoded
  bool gives_way = false;                    // to one that is asked for, until it is itself
  bool masked_out = false;
};

class PhotoStore final : public core::PhotoSource {
 public:
  // `room` bytes hold the photos that stay decoded, those that are already among them; `decodes`
  // were made for them.
  PhotoStore(std::vector<StoredPhoto> photos, int64_t room, int64_t decodes, bool alpha_is_opacity,
             const PhotoOptions& options);

  int count() const override { return static_cast<int>(photos_.size()); }
  const std::string& name(int view) const override { return photos_[view].view.name; }
  const core::PosedCamera& camera(int view) const override { return photos_[view].camera; }
  bool is_masked_out(int view) const override { return photos_[view].masked_out; }
  std::shared_ptr<const core::Photo> photo(int view) override;
  void prefetch(int view) override;

  // How many photos can stay decoded at a time.
  int most_decoded() const { return most_decoded_; }
  // How often a file was decoded, for the opening too.
  int64_t decodes() const { return decodes_; }

 private:
  void keep(int view, const std::shared_ptr<const core::Photo>& photo);

  std::vector<StoredPhoto> photos_;
  int most_decoded_ = 0;
  int64_t left_ = 0;        // of the room
  int64_t giving_way_ = 0;  // bytes of photos that give way
  std::atomic<int64_t> decodes_;
  DecodeAhead ahead_;
};

}  // namespace tessera::assets
