// What every kind of capture needs after its reader: photos and masks found on disk, cameras that
// fit the photos, coordinates that float32 can hold.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/captures/capture_reader.h"

namespace tessera::assets {

// The file that a photo's path means: itself, with the extension that it lacks, or with its letters
// in another case. Empty if there is none.
std::filesystem::path find_photo(const std::filesystem::path& path);

// Finds each view's photo (backslashes, missing extensions), takes pre-scaled ones if asked, drops
// views without one. Throws IoError if none is left.
void find_photos(core::Capture& capture, const CaptureOptions& options);

// Finds masks in `masks/` where the capture names none; drops mask and depth files that are
// missing.
void find_masks(core::Capture& capture);

// Makes each camera fit its photo's size, and drops depth files of other shapes. Throws IoError
// naming both if the photo's and the camera's ratios differ.
void fit_cameras_to_photos(core::Capture& capture);

// Moves cameras and points near the origin if float32 could not hold their coordinates.
void shift_to_origin(core::Capture& capture);

// "a, b, c and 12 more"
std::string list_first(const std::vector<std::string>& names);

}  // namespace tessera::assets
