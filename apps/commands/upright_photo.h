// A photo as it is looked at: turned as its EXIF says, in three channels, at the size asked for;
// and the camera that took it.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "apps/commands/photo3d_options.h"
#include "assets/photos/image_io.h"
#include "core/camera.h"
#include "core/image.h"
#include "core/log.h"

namespace tessera::apps {

struct UprightPhoto {
  core::Image8 rgb;
  assets::ImageInfo info;  // of the file
  int full_width = 0;      // before it was made smaller

  double scale() const { return static_cast<double>(rgb.width) / full_width; }
};

// `resolution` is of assets::PhotoOptions. Throws core::IoError.
UprightPhoto read_upright(const std::filesystem::path& path, int resolution, core::Log& log);

// Grey as RGB; what is transparent lies over black.
core::Image8 rgb_of(const core::Image8& image);

// The camera with the size that `resolution` asks for.
core::Camera reduced(const core::Camera& camera, int resolution);

// A pinhole at the origin: by what the user says, the photo, or a usual lens.
core::PosedCamera camera_of(const UprightPhoto& photo, const Photo3dOptions& options,
                            core::Log& log);

}  // namespace tessera::apps
