// A format of multiplane images as one row of a table (multiplane_formats.cpp): how its files or
// folders are recognized, read and written.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/multiplane_image.h"
#include "core/multiplane_video.h"

namespace tessera::assets {

struct MultiplaneWriteOptions {
  std::string format;  // a row's name; empty: as the path's extension says
  int planes = 32;     // of formats with planes that face the camera and fill the picture; 2..1024
};

struct MultiplaneFormatEntry {
  std::string_view name;                         // as users type it, "tmpi"
  std::span<const std::string_view> extensions;  // with the dot, lower case; the first is usual
  bool is_folder;
  // Whether the content of the file or folder is of this format; null if only the extension tells.
  bool (*probe)(const std::filesystem::path& path);
  // Null if the format is only written. Throws IoError.
  core::MultiplaneImage (*read)(const std::filesystem::path& path);
  // Whole or not at all. The image has passed check_multiplane_image. Throws IoError.
  void (*write)(const std::filesystem::path& path, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& options);
  // Whether all that is in the folder can be this format's, so that nothing else is lost when
  // another image takes its place; null for files.
  bool (*holds_nothing_else)(const std::filesystem::path& folder);
  // What of this image is not the same after it was written, as phrases.
  std::vector<std::string> (*losses)(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& options);
  // Null if the format holds no movement: then `write` gets the first frame.
  void (*write_video)(const std::filesystem::path& path, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& options) = nullptr;
  // Null if movement is not read; `read` gives the first frame.
  core::MultiplaneVideo (*read_video)(const std::filesystem::path& path) = nullptr;
};

std::span<const MultiplaneFormatEntry> multiplane_formats();

}  // namespace tessera::assets
