// SPDX-License-Identifier: MIT
#include "assets/photos/image_io.h"

#include <fmt/format.h>

#include <algorithm>

#include "assets/photos/decoders.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

struct Decoder {
  bool (*matches)(core::View<const uint8_t> start);
  ImageInfo (*probe)(const ImageBytes& file);
  core::Image8 (*decode)(const ImageBytes& file);
};

constexpr Decoder kDecoders[] = {
    {is_jpeg, probe_jpeg, decode_jpeg},          {is_png, probe_png, decode_png},
    {is_tiff, probe_tiff, decode_tiff},          {is_webp, probe_webp, decode_webp},
    {is_foreign, probe_foreign, decode_foreign},
};

constexpr uint64_t kMaxPixels = uint64_t{1} << 28;
constexpr uint64_t kMaxSide = 65535;
constexpr uint64_t kMaxFileBytes = uint64_t{4} << 30;

const Decoder& decoder_of(const ImageBytes& file) {
  if (file.bytes.empty()) throw core::IoError(file.path, "the file is empty; copy it again");
  for (const Decoder& decoder : kDecoders) {
    if (decoder.matches(file.bytes)) return decoder;
  }
  throw core::IoError(file.path,
                      "not a picture in a format that is read (JPEG, PNG, TIFF, WebP, BMP, PNM, "
                      "JPEG 2000); convert it to one of them");
}

}  // namespace

void check_image_size(const ImageBytes& file, uint64_t width, uint64_t height,
                      uint64_t least_bytes) {
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide ||
      width * height > kMaxPixels) {
    throw core::IoError(file.path, fmt::format("its header states {} x {} pixels; sides of 1 to {} "
                                               "and at most {} pixels in all are read",
                                               width, height, kMaxSide, kMaxPixels));
  }
  if (static_cast<uint64_t>(file.bytes.size) < least_bytes) {
    throw core::IoError(file.path, fmt::format("its header states {} x {} pixels, which cannot be "
                                               "in its {} bytes; copy it again",
                                               width, height, file.bytes.size));
  }
}

void throw_damaged(const ImageBytes& file, const char* format, const std::string& reason) {
  throw core::IoError(file.path, fmt::format("the {} file is damaged or cut short ({}); copy it "
                                             "again",
                                             format, reason));
}

ImageInfo probe_image(const std::filesystem::path& path) {
  constexpr uint64_t kUsuallyEnough = 256 << 10;
  core::Array<uint8_t> bytes = core::read_file_start(path, kUsuallyEnough);
  if (static_cast<uint64_t>(bytes.size()) < kUsuallyEnough) {
    const ImageBytes file{path, bytes.view()};
    return decoder_of(file).probe(file);
  }
  try {
    const ImageBytes file{path, bytes.view()};
    return decoder_of(file).probe(file);
  } catch (const core::IoError&) {  // a header behind a large embedded preview or profile
    bytes = core::read_file(path, kMaxFileBytes);
    const ImageBytes file{path, bytes.view()};
    return decoder_of(file).probe(file);
  }
}

core::Image8 read_image(const std::filesystem::path& path) {
  const core::Array<uint8_t> bytes = core::read_file(path, kMaxFileBytes);
  const ImageBytes file{path, bytes.view()};
  return decoder_of(file).decode(file);
}

Image16 read_image16(const std::filesystem::path& path) {
  const core::Array<uint8_t> bytes = core::read_file(path, kMaxFileBytes);
  const ImageBytes file{path, bytes.view()};
  if (is_png(file.bytes)) return decode_png16(file);
  if (is_tiff(file.bytes)) return decode_tiff16(file);
  throw core::IoError(path, "a 16-bit grey PNG or TIFF is expected here");
}

namespace {

template <class T>
core::BasicImage<T> turned(const core::BasicImage<T>& image, int exif_orientation) {
  const bool transposed = exif_orientation >= 5;
  const bool flip_x = exif_orientation == 2 || exif_orientation == 3 || exif_orientation == 7 ||
                      exif_orientation == 8;
  const bool flip_y = exif_orientation == 3 || exif_orientation == 4 || exif_orientation == 6 ||
                      exif_orientation == 7;
  core::BasicImage<T> result(transposed ? image.height : image.width,
                             transposed ? image.width : image.height, image.channels);
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      const int u = transposed ? y : x;
      const int v = transposed ? x : y;
      const T* source = image.row(flip_y ? image.height - 1 - v : v) +
                        int64_t{flip_x ? image.width - 1 - u : u} * image.channels;
      std::copy_n(source, image.channels, result.row(y) + int64_t{x} * image.channels);
    }
  }
  return result;
}

}  // namespace

core::Image8 oriented(const core::Image8& image, int exif_orientation) {
  return turned(image, exif_orientation);
}

core::ImageF oriented(const core::ImageF& image, int exif_orientation) {
  return turned(image, exif_orientation);
}

core::Image8 to_image8(const core::ImageF& image) {
  core::Image8 result(image.width, image.height, image.channels);
  std::transform(image.data.begin(), image.data.end(), result.data.begin(), [](float value) {
    return static_cast<uint8_t>(std::clamp(value, 0.0F, 1.0F) * 255.0F + 0.5F);
  });
  return result;
}

core::ImageF over_background(const core::Image8& image, math::Vec3<float> background) {
  core::ImageF result(image.width, image.height, 3);
  const float behind[3] = {background.x, background.y, background.z};
  for (int64_t i = 0; i < image.pixel_count(); ++i) {
    const uint8_t* in = &image.data[i * image.channels];
    const float alpha = image.channels == 4 ? in[3] / 255.0F : 1;
    for (int c = 0; c < 3; ++c) {
      const float value = in[image.channels >= 3 ? c : 0] / 255.0F;
      result.data[3 * i + c] = alpha * value + (1 - alpha) * behind[c];
    }
  }
  return result;
}

}  // namespace tessera::assets
