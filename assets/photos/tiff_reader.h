// A TIFF file in memory as libtiff sees it. libtiff asks for its bytes and reports errors through
// this.
// SPDX-License-Identifier: MIT
#pragma once

#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>

#include "assets/photos/decoders.h"

namespace tessera::assets {

class TiffReader {
 public:
  // Throws IoError if the header is damaged or states a size that is not read.
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
    constexpr uint64_t kMostPixelsPerByte = 8192;  // of its compressions the fax codes reach most
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
  // A field of 16 bits, or its default.
  uint16_t field(uint32_t tag) const {
    uint16_t value = 0;
    TIFFGetFieldDefaulted(tiff_, tag, &value);
    return value;
  }
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

}  // namespace tessera::assets
