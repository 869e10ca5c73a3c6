// Pictures from and to files: JPEG, PNG, TIFF and WebP by their own libraries, strictly; other
// formats through a module that is loaded when one is met.
//
// OpenCV's imgcodecs is not linked: it loads 140 shared libraries at start, and it gives half a
// picture for a truncated file without a word.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/image.h"
#include "core/math/vec.h"

namespace tessera::assets {

using Image16 = core::BasicImage<uint16_t>;

// What a file's header says.
struct ImageInfo {
  int width = 0;
  int height = 0;
  int exif_orientation = 1;  // 1..8; 5..8 exchange width and height
  int focal_35mm = 0;        // focal length in mm on 36x24 mm film; 0: not stated
};

// Reads no pixels. Throws IoError if the file is missing, of no known format or too large
// (more than 2^28 pixels, or 65,535 on a side).
ImageInfo probe_image(const std::filesystem::path& path);

// The whole picture as stored (no EXIF rotation), 8 bits per channel: 1 (grey), 3 (RGB) or 4
// channels (RGB with straight alpha). Grey with alpha becomes 4; 16 bits are rounded to 8; palette
// and CMYK become RGB.
// Throws IoError naming the file if it is missing, truncated, damaged or too large.
core::Image8 read_image(const std::filesystem::path& path);

// One channel of 16 bits: depth maps. Throws IoError if the file is not a 16-bit grey PNG or TIFF.
Image16 read_image16(const std::filesystem::path& path);

// Turns a picture as its EXIF orientation (1..8) asks.
core::Image8 oriented(const core::Image8& image, int exif_orientation);
core::ImageF oriented(const core::ImageF& image, int exif_orientation);

// 1, 3 or 4 channels.
std::vector<uint8_t> encode_png(const core::Image8& image);
std::vector<uint8_t> encode_png(const Image16& image);
// 1 or 3 channels; quality 1..100.
std::vector<uint8_t> encode_jpeg(const core::Image8& image, int quality = 95);

// Clamped to [0, 1], times 255, rounded.
core::Image8 to_image8(const core::ImageF& image);

// RGB of 0 to 1, laid over the background where the picture is transparent.
core::ImageF over_background(const core::Image8& image, math::Vec3<float> background);

// By extension, .png, .jpg or .jpeg; written whole or not at all. Throws UsageError for others.
void write_image(const std::filesystem::path& path, const core::Image8& image);
void write_image(const std::filesystem::path& path, const Image16& image);  // .png

}  // namespace tessera::assets
