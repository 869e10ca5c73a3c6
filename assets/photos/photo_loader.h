// One photo from its files to the pixels that a trainer sees.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/photos/photo_options.h"
#include "core/camera.h"
#include "core/capture.h"
#include "core/photo_source.h"

namespace tessera::assets {

// The cameras on the way: as the file is, without distortion, at its final size.
struct PhotoGeometry {
  core::Camera full;         // pinhole unless native
  core::Camera output;       // `full` made smaller
  bool undistorted = false;  // full differs from the view's own camera by more than its name
  bool cropped = false;      // part of the photo is lost by undistortion
};

// The camera at the size that `options` ask for, of photos that are `prescaled` times smaller
// than it. Throws UsageError for a resolution that cannot be meant.
core::Camera at_final_size(const core::Camera& full, int prescaled, const PhotoOptions& options);

PhotoGeometry photo_geometry(const core::CaptureView& view, const PhotoOptions& options);

// Decodes, turns, masks, undistorts and shrinks. Throws IoError naming the file at fault.
core::Photo load_photo(const core::CaptureView& view, const PhotoGeometry& geometry,
                       bool alpha_is_opacity, const PhotoOptions& options);

}  // namespace tessera::assets
