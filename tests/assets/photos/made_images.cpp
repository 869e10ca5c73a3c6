// SPDX-License-Identifier: MIT
#include "tests/assets/photos/made_images.h"

#include <png.h>
#include <tiffio.h>
#include <webp/encode.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"

#include <jpeglib.h>

namespace tessera::tests {
namespace {

void append(png_structp png, png_bytep bytes, size_t count) {
  auto* out = static_cast<std::vector<uint8_t>*>(png_get_io_ptr(png));
  out->insert(out->end(), bytes, bytes + count);
}

int channels_of(int color_type) {
  switch (color_type) {
    case PNG_COLOR_TYPE_GRAY_ALPHA:
      return 2;
    case PNG_COLOR_TYPE_RGB:
      return 3;
    case PNG_COLOR_TYPE_RGB_ALPHA:
      return 4;
    default:
      return 1;
  }
}

// Samples of one row as the file packs them.
std::vector<uint8_t> packed_row(const core::Image8& image, int y, int bit_depth) {
  const int samples = image.width * image.channels;
  std::vector<uint8_t> row((samples * bit_depth + 7) / 8);
  for (int i = 0; i < samples; ++i) {
    const uint8_t value = image.row(y)[i];
    if (bit_depth == 16) {
      row[2 * i] = row[2 * i + 1] = value;
    } else {
      const int bit = i * bit_depth;
      const int upper_bits = value >> (8 - bit_depth);
      row[bit / 8] = static_cast<uint8_t>(row[bit / 8] | upper_bits << (8 - bit_depth - bit % 8));
    }
  }
  return row;
}

}  // namespace

core::Image8 gradient_image(int channels) {
  core::Image8 image(37, 29, channels);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < channels; ++c) {
        image.at(x, y, c) = static_cast<uint8_t>(3 * x + 4 * y + 7 * c);
      }
    }
  }
  return image;
}

std::vector<uint8_t> make_png(const PngLayout& layout) {
  const core::Image8 image = gradient_image(channels_of(layout.color_type));
  std::vector<uint8_t> out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &out, append, nullptr);
  png_set_IHDR(png, info, image.width, image.height, layout.bit_depth, layout.color_type,
               layout.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (layout.color_type == PNG_COLOR_TYPE_PALETTE) {
    const png_color palette[] = {{10, 20, 30}, {40, 50, 60}, {70, 80, 90}, {100, 110, 120}};
    const png_byte alpha[] = {255, 128};
    png_set_PLTE(png, info, palette, 4);
    png_set_tRNS(png, info, alpha, 2, nullptr);
  }
  png_write_info(png, info);
  const int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; ++pass) {
    for (int y = 0; y < image.height; ++y) {
      png_write_row(png, packed_row(image, y, layout.bit_depth).data());
    }
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

std::vector<uint8_t> make_progressive_jpeg(const core::Image8& rgb) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = rgb.width;
  info.image_height = rgb.height;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 98, TRUE);
  jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(rgb.row(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<uint8_t> out(buffer, buffer + size);
  std::free(buffer);
  return out;
}

std::vector<uint8_t> make_lossless_webp(const core::Image8& rgba) {
  uint8_t* encoded = nullptr;
  const size_t size =
      WebPEncodeLosslessRGBA(rgba.data.data(), rgba.width, rgba.height, rgba.width * 4, &encoded);
  std::vector<uint8_t> out(encoded, encoded + size);
  WebPFree(encoded);
  return out;
}

std::vector<uint8_t> make_tiff16(const core::Image8& image) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "made.tif";
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, image.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, image.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, image.channels);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
               image.channels == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
  if (image.channels == 4) {
    const uint16_t kind = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
  }
  std::vector<uint16_t> row(static_cast<size_t>(image.width) * image.channels);
  for (int y = 0; y < image.height; ++y) {
    for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<uint16_t>(image.row(y)[i] * 257);
    TIFFWriteScanline(tiff, row.data(), y, 0);
  }
  TIFFClose(tiff);
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace tessera::tests
