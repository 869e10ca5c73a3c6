// Which photos of a capture a command reads, and how: the options that `reconstruct` and `eval`
// share, so that a scene is measured on the pixels that it was trained on.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "assets/captures/capture_reader.h"
#include "assets/photos/photo_cache.h"
#include "core/options.h"

namespace tessera::apps {

struct PhotoInput {
  std::filesystem::path images;
  int resolution = 1;
  int max_resolution = 0;
  bool invert_masks = false;
  bool skip_bad_images = false;
  std::string camera = "undistort";
};

void bind_photo_input(core::OptionTable& table, PhotoInput& input);

assets::CaptureOptions capture_options(const PhotoInput& input);
assets::PhotoOptions photo_options(const PhotoInput& input);

}  // namespace tessera::apps
