// One decoder per picture format, each over a file's bytes in memory. image_io.cpp holds the table.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "assets/photos/image_io.h"
#include "core/view.h"

namespace tessera::assets {

// A file's bytes and the path that errors name.
struct ImageBytes {
  const std::filesystem::path& path;
  core::View<const uint8_t> bytes;
};

// Throws IoError if no picture of this size is read, or if `least_bytes` (what the format needs at
// the very best for that many pixels) is more than there is: a size that only the header claims.
void check_image_size(const ImageBytes& file, uint64_t width, uint64_t height,
                      uint64_t least_bytes = 0);

// "the PNG is damaged or cut short (REASON); ..." on the file.
[[noreturn]] void throw_damaged(const ImageBytes& file, const char* format,
                                const std::string& reason);

// Sets what a TIFF-structured EXIF block states; a broken one states nothing.
void read_exif(core::View<const uint8_t> exif, ImageInfo& info);

bool is_jpeg(core::View<const uint8_t> start);
ImageInfo probe_jpeg(const ImageBytes& file);
core::Image8 decode_jpeg(const ImageBytes& file);

bool is_png(core::View<const uint8_t> start);
ImageInfo probe_png(const ImageBytes& file);
core::Image8 decode_png(const ImageBytes& file);
Image16 decode_png16(const ImageBytes& file);

bool is_tiff(core::View<const uint8_t> start);
ImageInfo probe_tiff(const ImageBytes& file);
core::Image8 decode_tiff(const ImageBytes& file);
Image16 decode_tiff16(const ImageBytes& file);

bool is_webp(core::View<const uint8_t> start);
ImageInfo probe_webp(const ImageBytes& file);
core::Image8 decode_webp(const ImageBytes& file);

// Formats that the module of foreign formats reads: BMP, PNM and JPEG 2000.
bool is_foreign(core::View<const uint8_t> start);
ImageInfo probe_foreign(const ImageBytes& file);
core::Image8 decode_foreign(const ImageBytes& file);

}  // namespace tessera::assets
