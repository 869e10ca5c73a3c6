// Captures as people have them on disk: posed photos from COLMAP, transforms.json or Blender.
//
// Each kind is one reader in one table (captures.cpp); what is common to all of them (photos that
// are missing or of another size, masks, far origins, order) is done once after the reader.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/capture.h"

namespace tessera::assets {

struct CaptureOptions {
  std::filesystem::path images;  // --images: the photo folder; empty: where the kind keeps it
  // -r: pre-scaled photos (images_2, images_4, images_8) are taken if this asks for that factor.
  int resolution = 1;
  // False keeps the views whose photo is not on disk, with an empty image_path: enough for drawing
  // from the cameras and for `inspect`.
  bool photos_required = true;
};

struct CaptureReader {
  std::string_view name;
  // Whether `path` (a folder, or a file in it that names the capture) is of this kind.
  bool (*probe)(const std::filesystem::path& path);
  // Gives views in any order with cameras as the files state them, image_path (and mask_path,
  // depth_path) where it should be, existing or not.
  core::Capture (*read)(const std::filesystem::path& path, const CaptureOptions& options);
};

std::span<const CaptureReader> capture_readers();

// Whether `path` is to be read as a capture: any folder, whatever is wrong with it, and files that
// a reader knows.
bool is_capture(const std::filesystem::path& path);

// Why `path`, which no reader knows, is not read, and what to do: "holds photos but no cameras;
// make a COLMAP model with ...".
std::string no_capture_reason(const std::filesystem::path& path);

// Reads the capture at `path`: views sorted by name, each with a photo on disk of its camera's
// size, masks found, coordinates near the origin. What was decided is in `notes` and `warnings`.
// Throws IoError naming the file if something is broken, of no known kind, or if no photo is left.
core::Capture read_capture(const std::filesystem::path& path, const CaptureOptions& options = {});

}  // namespace tessera::assets
