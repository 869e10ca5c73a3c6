// Depth maps from files, as numbers without a meaning: whether they are depths or disparities, and
// in which unit, the file does not say, so the caller must.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "core/image.h"

namespace tessera::assets {

struct DepthFile {
  core::ImageF values;      // [height][width][1], rows from the top, as stored: integers keep their
                            // size, and NaN and infinities stay
  std::string format;       // "PNG"
  int bits = 0;             // of one stored number
  bool is_integer = false;  // else floating point
  std::string note;         // what was chosen or left out in reading, a sentence, or empty
};

// PNG and TIFF (grey), PGM, PFM, EXR and NPY, told apart by their content. Throws IoError if the
// file is none of them, holds several channels that differ, is damaged or too large (as pictures,
// photos/image_io.h).
DepthFile read_depth(const std::filesystem::path& path);

}  // namespace tessera::assets
