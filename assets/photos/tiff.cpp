// TIFF through libtiff's RGBA interface, which knows all of its pixel layouts.
// SPDX-License-Identifier: MIT
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>

#include "assets/photos/decoders.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr uint64_t kMostPixelsPerByte = 8192;  // of its compressions the fax codes reach most

// A TIFF file in memory. libtiff asks for its bytes and reports errors through this.
class TiffReader {
 public:
  explicit TiffReader(const ImageBytes& file) : file_(file) {
    const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
        TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), record, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore, this);
    tiff_ = TIFFClientOpenExt("", "rm", this, read, write, seek, close, size, nullptr, nullptr,
                              options.get());
    if (tiff_ == nullptr) fail();
    uint32_t width = 0;
    uint32_t height = 0;
    TIFFGetField(tiff_, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff_, TIFFTAG_IMAGELENGTH, &height);
    try {
      check_image_size(file, width, height, uint64_t{width} * height / kMostPixelsPerByte);
    } catch (...) {
      TIFFClose(tiff_);
      throw;
    }
    info_.width = static_cast<int>(width);
    info_.height = static_cast<int>(height);
    uint16_t orientation = 1;
    TIFFGetFieldDefaulted(tiff_, TIFFTAG_ORIENTATION, &orientation);
    info_.exif_orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
  }
  ~TiffReader() { TIFFClose(tiff_); }
  TiffReader(const TiffReader&) = delete;
  TiffReader& operator=(const TiffReader&) = delete;

  const ImageInfo& info() const { return info_; }
  TIFF* get() const { return tiff_; }
  [[noreturn]] void fail() const {
    throw_damaged(file_, "TIFF", message_[0] != 0 ? message_ : "no picture");
  }

 private:
  static int record(TIFF*, void* self, const char*, const char* format, va_list arguments) {
    auto& message = static_cast<TiffReader*>(self)->message_;
    std::vsnprintf(message, sizeof(message), format, arguments);
    return 1;
  }
  static int ignore(TIFF*, void*, const char*, const char*, va_list) { return 1; }
  static tmsize_t read(thandle_t handle, void* target, tmsize_t count) {
    auto* self = static_cast<TiffReader*>(handle);
    const int64_t left = std::max<int64_t>(self->file_.bytes.size - self->at_, 0);
    const int64_t taken = std::min<int64_t>(count, left);
    if (taken > 0) std::memcpy(target, self->file_.bytes.data + self->at_, taken);
    self->at_ += taken;
    return taken;
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    auto* self = static_cast<TiffReader*>(handle);
    const auto size = static_cast<uint64_t>(self->file_.bytes.size);
    const uint64_t base = whence == SEEK_SET ? 0 : whence == SEEK_END ? size : self->at_;
    self->at_ = static_cast<int64_t>(std::min<uint64_t>(base + offset, INT64_MAX));
    return self->at_;
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) {
    return static_cast<TiffReader*>(handle)->file_.bytes.size;
  }

  ImageBytes file_;
  int64_t at_ = 0;
  TIFF* tiff_ = nullptr;
  ImageInfo info_;
  char message_[256] = {};
};

uint16_t field(TIFF* tiff, uint32_t tag) {
  uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

bool has_alpha(TIFF* tiff) {
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  return TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) == 1 && count > 0 &&
         (kinds[0] == EXTRASAMPLE_ASSOCALPHA || kinds[0] == EXTRASAMPLE_UNASSALPHA);
}

}  // namespace

bool is_tiff(core::View<const uint8_t> start) {
  return start.size >= 4 &&
         (std::memcmp(start.data, "II*\0", 4) == 0 || std::memcmp(start.data, "MM\0*", 4) == 0 ||
          std::memcmp(start.data, "II+\0", 4) == 0 || std::memcmp(start.data, "MM\0+", 4) == 0);
}

ImageInfo probe_tiff(const ImageBytes& file) {
  return TiffReader(file).info();
}

core::Image8 decode_tiff(const ImageBytes& file) {
  const TiffReader reader(file);
  const auto [width, height, orientation] = reader.info();
  core::Array<uint32_t> packed(int64_t{width} * height);
  // Asking for the file's own orientation leaves the pixels where they are stored.
  if (TIFFReadRGBAImageOriented(reader.get(), width, height, packed.data(), orientation, 1) == 0) {
    reader.fail();
  }
  const int channels = has_alpha(reader.get()) ? 4 : 3;
  core::Image8 image(width, height, channels);
  for (int64_t i = 0; i < packed.size(); ++i) {
    uint8_t* pixel = image.data.data() + i * channels;
    const uint32_t alpha = TIFFGetA(packed[i]);
    const uint32_t premultiplied[3] = {TIFFGetR(packed[i]), TIFFGetG(packed[i]),
                                       TIFFGetB(packed[i])};
    for (int c = 0; c < 3; ++c) {
      const bool divide = channels == 4 && alpha > 0;
      const uint32_t value =
          divide ? (premultiplied[c] * 255 + alpha / 2) / alpha : premultiplied[c];
      pixel[c] = static_cast<uint8_t>(std::min<uint32_t>(value, 255));
    }
    if (channels == 4) pixel[3] = static_cast<uint8_t>(alpha);
  }
  return image;
}

Image16 decode_tiff16(const ImageBytes& file) {
  const TiffReader reader(file);
  TIFF* tiff = reader.get();
  if (field(tiff, TIFFTAG_BITSPERSAMPLE) != 16 || field(tiff, TIFFTAG_SAMPLESPERPIXEL) != 1 ||
      field(tiff, TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_UINT || TIFFIsTiled(tiff) != 0) {
    throw core::IoError(file.path, "a 16-bit grey picture is expected here");
  }
  Image16 image(reader.info().width, reader.info().height, 1);
  if (TIFFScanlineSize(tiff) != static_cast<tmsize_t>(image.width * sizeof(uint16_t))) {
    reader.fail();
  }
  for (int y = 0; y < image.height; ++y) {
    if (TIFFReadScanline(tiff, image.row(y), y, 0) != 1) reader.fail();
  }
  return image;
}

}  // namespace tessera::assets
