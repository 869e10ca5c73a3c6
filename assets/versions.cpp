// SPDX-License-Identifier: MIT
#include "assets/versions.h"

#include <fmt/format.h>
#include <jpeglib.h>
#include <png.h>
#include <tiffvers.h>
#include <webp/decode.h>

#include <nlohmann/json.hpp>

namespace tessera::assets {

std::vector<std::pair<std::string, std::string>> library_versions() {
  const std::string tiff = TIFFLIB_VERSION_STR;  // "LIBTIFF, Version 4.5.0\nCopyright ..."
  const size_t tiff_number = tiff.find_last_of(' ', tiff.find('\n')) + 1;
  const int webp = WebPGetDecoderVersion();
  return {
      {"fmt",
       fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"JSON", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                           NLOHMANN_JSON_VERSION_PATCH)},
      {"libjpeg",
       fmt::format("{} (turbo {}.{}.{})", JPEG_LIB_VERSION, LIBJPEG_TURBO_VERSION_NUMBER / 1000000,
                   LIBJPEG_TURBO_VERSION_NUMBER / 1000 % 1000,
                   LIBJPEG_TURBO_VERSION_NUMBER % 1000)},
      {"libpng", PNG_LIBPNG_VER_STRING},
      {"libtiff", tiff.substr(tiff_number, tiff.find('\n') - tiff_number)},
      {"libwebp", fmt::format("{}.{}.{}", webp >> 16, webp >> 8 & 255, webp & 255)},
  };
}

}  // namespace tessera::assets
