// PNG and JPEG for renders and reports: encoded in memory, written whole or not at all.
// SPDX-License-Identifier: MIT
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/file_io.h"

#include <jpeglib.h>

namespace tessera::assets {
namespace {

void append(png_structp png, png_bytep bytes, size_t count) {
  auto* out = static_cast<std::vector<uint8_t>*>(png_get_io_ptr(png));
  out->insert(out->end(), bytes, bytes + count);
}

void flush(png_structp) {}

int png_color_type(int channels) {
  return channels == 1   ? PNG_COLOR_TYPE_GRAY
         : channels == 3 ? PNG_COLOR_TYPE_RGB
                         : PNG_COLOR_TYPE_RGB_ALPHA;
}

template <class T>
std::vector<uint8_t> encode_png_rows(const core::BasicImage<T>& image) {
  std::vector<uint8_t> out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  // The pixels are in memory and so is the target: only memory can run out.
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    throw std::bad_alloc();
  }
  png_set_write_fn(png, &out, append, flush);
  png_set_IHDR(png, info, image.width, image.height, 8 * sizeof(T), png_color_type(image.channels),
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, 4);
  png_write_info(png, info);
  if (sizeof(T) == 2 && std::endian::native == std::endian::little) png_set_swap(png);
  for (int y = 0; y < image.height; ++y) {
    png_write_row(png, reinterpret_cast<png_const_bytep>(image.row(y)));
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return out;
}

void out_of_memory(j_common_ptr) {
  throw std::bad_alloc();
}

bool is_extension(const std::filesystem::path& path, const char* lower, const char* upper) {
  return path.extension() == lower || path.extension() == upper;
}

void write_bytes(const std::filesystem::path& path, const std::vector<uint8_t>& bytes) {
  core::write_file_atomically(
      path, core::View<const uint8_t>{bytes.data(), static_cast<int64_t>(bytes.size())});
}

}  // namespace

std::vector<uint8_t> encode_png(const core::Image8& image) {
  return encode_png_rows(image);
}

std::vector<uint8_t> encode_png(const Image16& image) {
  return encode_png_rows(image);
}

std::vector<uint8_t> encode_jpeg(const core::Image8& image, int quality) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  errors.error_exit = out_of_memory;
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = image.width;
  info.image_height = image.height;
  info.input_components = image.channels;
  info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.row(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<uint8_t> out(buffer, buffer + size);
  std::free(buffer);
  return out;
}

void write_image(const std::filesystem::path& path, const core::Image8& image) {
  if (is_extension(path, ".png", ".PNG")) {
    write_bytes(path, encode_png(image));
  } else if (is_extension(path, ".jpg", ".JPG") || is_extension(path, ".jpeg", ".JPEG")) {
    write_bytes(path, encode_jpeg(image));
  } else {
    throw core::UsageError(path.string(), "pictures are written as .png or .jpg; name it so");
  }
}

void write_image(const std::filesystem::path& path, const Image16& image) {
  if (!is_extension(path, ".png", ".PNG")) {
    throw core::UsageError(path.string(), "16-bit pictures are written as .png; name it so");
  }
  write_bytes(path, encode_png(image));
}

}  // namespace tessera::assets
