// SPDX-License-Identifier: MIT
#include "apps/commands/photo_input.h"

namespace tessera::apps {

void bind_photo_input(core::OptionTable& table, PhotoInput& input) {
  table.add("--images", input.images, "FOLDER",
            "where the photos are, if not where the capture says");
  table
      .add("-r, --resolution, --downscale-factor, --data-factor", input.resolution, "R",
           "divide the photos' size by 1, 2, 4, 8; more is a width")
      .range(1)
      .common();
  table
      .add("--max-resolution", input.max_resolution, "PIXELS",
           "longer side at most this; 0: no limit")
      .range(0);
  table.flag("--invert-masks", input.invert_masks, "black means keep");
  table.flag("--skip-bad-images", input.skip_bad_images,
             "leave unreadable photos out with a warning");
  table.add("--camera", input.camera, "HOW", "lens distortion is taken out, or projected as it is")
      .choices({"undistort", "native"});
}

assets::CaptureOptions capture_options(const PhotoInput& input) {
  assets::CaptureOptions options;
  options.images = input.images;
  options.resolution = input.resolution;
  return options;
}

assets::PhotoOptions photo_options(const PhotoInput& input) {
  assets::PhotoOptions options;
  options.resolution = input.resolution;
  options.max_resolution = input.max_resolution;
  options.native_camera = input.camera == "native";
  options.invert_masks = input.invert_masks;
  options.skip_bad_images = input.skip_bad_images;
  return options;
}

}  // namespace tessera::apps
