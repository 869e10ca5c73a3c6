// JPEG through libjpeg. Damage that libjpeg only warns about (a file cut short gives grey below the
// cut) is an error here; warnings that change no pixel are not.
// SPDX-License-Identifier: MIT
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <utility>

#include "assets/photos/decoders.h"
#include "core/error.h"

#include <jerror.h>
#include <jpeglib.h>

namespace tessera::assets {
namespace {

constexpr int kMaxScans = 500;  // a progressive file with more is made to waste time

bool changes_no_pixel(int message_code) {
  return message_code == JWRN_EXTRANEOUS_DATA || message_code == JWRN_JFIF_MAJOR ||
         message_code == JWRN_ADOBE_XFORM || message_code == JWRN_BOGUS_PROGRESSION;
}

// libjpeg leaves by longjmp, so every function that calls it holds plain values only.
class JpegReader {
 public:
  explicit JpegReader(core::View<const uint8_t> bytes) : bytes_(bytes) {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = fail;
    errors_.base.emit_message = warn;
    progress_.progress_monitor = limit_scans;
  }
  ~JpegReader() { jpeg_destroy_decompress(&info_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  bool read_header() {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, bytes_.data, static_cast<unsigned long>(bytes_.size));
    jpeg_read_header(&info_, TRUE);
    switch (info_.jpeg_color_space) {
      case JCS_GRAYSCALE:
        info_.out_color_space = JCS_GRAYSCALE;
        break;
      case JCS_CMYK:
      case JCS_YCCK:
        info_.out_color_space = JCS_CMYK;
        break;
      default:
        info_.out_color_space = JCS_RGB;
        break;
    }
    jpeg_calc_output_dimensions(&info_);
    return true;
  }
  bool read_rows(uint8_t* rows) {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_start_decompress(&info_);
    const size_t stride = size_t{info_.output_width} * info_.output_components;
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = rows + info_.output_scanline * stride;
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }
  int width() const { return static_cast<int>(info_.output_width); }
  int height() const { return static_cast<int>(info_.output_height); }
  int channels() const { return info_.output_components; }
  bool adobe() const { return info_.saw_Adobe_marker; }
  const char* reason() const { return errors_.message; }

 private:
  struct Errors {
    jpeg_error_mgr base;
    std::jmp_buf jump;
    char message[JMSG_LENGTH_MAX];
  };

  static void fail(j_common_ptr info) {
    auto* errors = reinterpret_cast<Errors*>(info->err);
    info->err->format_message(info, errors->message);
    std::longjmp(errors->jump, 1);
  }
  static void warn(j_common_ptr info, int level) {
    if (level < 0 && !changes_no_pixel(info->err->msg_code)) fail(info);
  }
  static void limit_scans(j_common_ptr info) {
    if (!info->is_decompressor) return;
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
    auto* errors = reinterpret_cast<Errors*>(info->err);
    std::strcpy(errors->message, "too many scans");
    std::longjmp(errors->jump, 1);
  }

  core::View<const uint8_t> bytes_;
  jpeg_decompress_struct info_{};
  jpeg_progress_mgr progress_{};
  Errors errors_{};
};

// Adobe's programs store CMYK inverted and say so by their marker.
core::Image8 rgb_of_cmyk(const core::Image8& cmyk, bool inverted) {
  core::Image8 rgb(cmyk.width, cmyk.height, 3);
  for (int64_t i = 0; i < cmyk.pixel_count(); ++i) {
    const uint8_t* ink = cmyk.data.data() + 4 * i;
    const int key = inverted ? ink[3] : 255 - ink[3];
    for (int c = 0; c < 3; ++c) {
      const int light = inverted ? ink[c] : 255 - ink[c];
      rgb.data[3 * i + c] = static_cast<uint8_t>((light * key + 127) / 255);
    }
  }
  return rgb;
}

// One marker segment; data follows its two length bytes.
struct Segment {
  int marker;
  core::View<const uint8_t> data;
};

// The segments up to the first scan.
class Segments {
 public:
  explicit Segments(core::View<const uint8_t> bytes) : bytes_(bytes) {}

  bool next(Segment& segment) {
    while (at_ < bytes_.size && bytes_[at_] != 0xFF) ++at_;
    while (at_ < bytes_.size && bytes_[at_] == 0xFF) ++at_;
    if (at_ + 3 > bytes_.size) return false;
    segment.marker = bytes_[at_];
    const int64_t length = bytes_[at_ + 1] << 8 | bytes_[at_ + 2];
    constexpr int kStartOfScan = 0xDA;
    if (segment.marker == kStartOfScan || length < 2 || at_ + 1 + length > bytes_.size) {
      return false;
    }
    segment.data = {bytes_.data + at_ + 3, length - 2};
    at_ += 1 + length;
    return true;
  }

 private:
  core::View<const uint8_t> bytes_;
  int64_t at_ = 2;  // behind the start-of-image marker
};

bool is_frame_header(int marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

}  // namespace

bool is_jpeg(core::View<const uint8_t> start) {
  return start.size >= 3 && start[0] == 0xFF && start[1] == 0xD8 && start[2] == 0xFF;
}

ImageInfo probe_jpeg(const ImageBytes& file) {
  ImageInfo info;
  Segments segments(file.bytes);
  Segment segment{};
  while (segments.next(segment)) {
    const core::View<const uint8_t> data = segment.data;
    constexpr int kApp1 = 0xE1;
    if (segment.marker == kApp1 && data.size > 6 && std::memcmp(data.data, "Exif\0", 6) == 0) {
      read_exif({data.data + 6, data.size - 6}, info);
    }
    if (is_frame_header(segment.marker) && data.size >= 6) {
      info.height = data[1] << 8 | data[2];
      info.width = data[3] << 8 | data[4];
      check_image_size(file, info.width, info.height);
      return info;
    }
  }
  throw_damaged(file, "JPEG", "no frame header");
}

core::Image8 decode_jpeg(const ImageBytes& file) {
  JpegReader reader(file.bytes);
  if (!reader.read_header()) throw_damaged(file, "JPEG", reader.reason());
  const auto pixels = static_cast<uint64_t>(reader.width()) * reader.height();
  constexpr uint64_t kMostPixelsPerByte = 64 * 8;  // a bit per 8 x 8 block
  check_image_size(file, reader.width(), reader.height(), pixels / kMostPixelsPerByte);
  core::Image8 image(reader.width(), reader.height(), reader.channels());
  if (!reader.read_rows(image.data.data())) throw_damaged(file, "JPEG", reader.reason());
  return image.channels == 4 ? rgb_of_cmyk(image, reader.adobe()) : std::move(image);
}

}  // namespace tessera::assets
