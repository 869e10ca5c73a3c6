// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "assets/depths/depth_readers.h"
#include "assets/depths/number_type.h"
#include "assets/photos/tiff_reader.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

NumberType type_of(const TiffReader& reader, const ImageBytes& file) {
  const int format = reader.field(TIFFTAG_SAMPLEFORMAT);
  const int samples = reader.field(TIFFTAG_SAMPLESPERPIXEL);
  NumberType type;
  type.bits = reader.field(TIFFTAG_BITSPERSAMPLE);
  type.kind = format == SAMPLEFORMAT_INT      ? NumberKind::kSigned
              : format == SAMPLEFORMAT_IEEEFP ? NumberKind::kFloat
                                              : NumberKind::kUnsigned;
  const bool is_number = format >= SAMPLEFORMAT_UINT && format <= SAMPLEFORMAT_VOID;
  if (samples != 1 || !is_number || !is_known(type)) {
    throw core::IoError(file.path,
                        fmt::format("has {} samples per pixel of {} bits; a depth map has one, an "
                                    "integer or floating point of 8 to 64 bits",
                                    samples, type.bits));
  }
  if (reader.field(TIFFTAG_PHOTOMETRIC) == PHOTOMETRIC_PALETTE) {
    throw core::IoError(file.path, "has colors by a palette, but a depth map has one channel");
  }
  return type;
}

void read_strips(const TiffReader& reader, const NumberType& type, core::ImageF& values) {
  core::Array<uint8_t> row(TIFFScanlineSize(reader.get()));
  if (row.size() != int64_t{values.width} * type.bytes()) reader.fail();
  for (int y = 0; y < values.height; ++y) {
    if (TIFFReadScanline(reader.get(), row.data(), y, 0) != 1) reader.fail();
    to_floats(type, row.data(), values.width, values.row(y));
  }
}

void read_tiles(const TiffReader& reader, const ImageBytes& file, const NumberType& type,
                core::ImageF& values) {
  uint32_t tile_width = 0;
  uint32_t tile_height = 0;
  TIFFGetField(reader.get(), TIFFTAG_TILEWIDTH, &tile_width);
  TIFFGetField(reader.get(), TIFFTAG_TILELENGTH, &tile_height);
  check_image_size(file, tile_width, tile_height);
  core::Array<uint8_t> tile(TIFFTileSize(reader.get()));
  const int64_t row_bytes = int64_t{tile_width} * type.bytes();
  if (tile.size() != row_bytes * tile_height) reader.fail();
  const auto width = static_cast<int>(tile_width);
  const auto height = static_cast<int>(tile_height);
  for (int top = 0; top < values.height; top += height) {
    for (int left = 0; left < values.width; left += width) {
      if (TIFFReadTile(reader.get(), tile.data(), left, top, 0, 0) < 0) reader.fail();
      const int columns = std::min(width, values.width - left);
      for (int y = top; y < std::min(top + height, values.height); ++y) {
        to_floats(type, tile.data() + (y - top) * row_bytes, columns, &values.at(left, y));
      }
    }
  }
}

}  // namespace

DepthFile read_tiff_depth(const ImageBytes& file) {
  const TiffReader reader(file);
  const NumberType type = type_of(reader, file);
  DepthFile depth{core::ImageF(reader.info().width, reader.info().height, 1), "TIFF", type.bits,
                  type.kind != NumberKind::kFloat, ""};
  if (TIFFIsTiled(reader.get()) != 0) {
    read_tiles(reader, file, type, depth.values);
  } else {
    read_strips(reader, type, depth.values);
  }
  return depth;
}

}  // namespace tessera::assets
