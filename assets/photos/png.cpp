// PNG through libpng's full interface: the simplified one takes 16-bit files for linear light.
// SPDX-License-Identifier: MIT
#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstring>

#include "assets/photos/decoders.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr uint8_t kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr uint64_t kBestDeflateRatio = 1032;

// Names of chunks that change no sample. They are skipped unread: some hide gigabytes.
constexpr png_byte kSkippedChunks[] = "iCCP\0tEXt\0zTXt\0iTXt\0sPLT\0hIST";
constexpr int kSkippedChunkCount = 6;

// libpng leaves by longjmp, so every function that calls it holds plain values only.
class PngReader {
 public:
  explicit PngReader(core::View<const uint8_t> bytes) : bytes_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
    if (info_ == nullptr) throw std::bad_alloc();
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  bool read_header() {
    if (setjmp(jump_) != 0) return false;
    png_set_read_fn(png_, this, read);
    png_set_user_limits(png_, 65535, 65535);
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kSkippedChunks, kSkippedChunkCount);
    png_set_chunk_malloc_max(png_, 8 << 20);
    png_read_info(png_, info_);
    return true;
  }
  // Grey or RGB, with alpha where the file has some; 8 bits unless `deep`.
  bool set_output(bool deep) {
    if (setjmp(jump_) != 0) return false;
    const bool alpha = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 ||
                       png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    png_set_expand(png_);
    if (alpha) png_set_gray_to_rgb(png_);
    if (deep) {
      if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
    } else {
      png_set_scale_16(png_);
    }
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }
  bool read_rows(uint8_t* rows, size_t stride) {
    if (setjmp(jump_) != 0) return false;
    const int passes = png_get_interlace_type(png_, info_) == PNG_INTERLACE_NONE ? 1 : 7;
    for (int pass = 0; pass < passes; ++pass) {
      for (int y = 0; y < height(); ++y) png_read_row(png_, rows + y * stride, nullptr);
    }
    png_read_end(png_, nullptr);
    return true;
  }
  int width() const { return static_cast<int>(png_get_image_width(png_, info_)); }
  int height() const { return static_cast<int>(png_get_image_height(png_, info_)); }
  int channels() const { return png_get_channels(png_, info_); }
  int bit_depth() const { return png_get_bit_depth(png_, info_); }
  uint64_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  bool is_grey() const { return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY; }
  const char* reason() const { return message_; }

 private:
  static void fail(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof(self->message_) - 1);
    std::longjmp(self->jump_, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
  static void read(png_structp png, png_bytep target, size_t count) {
    auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > static_cast<size_t>(self->bytes_.size - self->at_)) {
      png_error(png, "end of file");
    }
    std::memcpy(target, self->bytes_.data + self->at_, count);
    self->at_ += static_cast<int64_t>(count);
  }

  core::View<const uint8_t> bytes_;
  int64_t at_ = 0;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_{};
  char message_[128] = {};
};

// Header read, size checked, output set.
void open(PngReader& reader, const ImageBytes& file, bool deep) {
  if (!reader.read_header()) throw_damaged(file, "PNG", reader.reason());
  check_image_size(file, reader.width(), reader.height(),
                   reader.row_bytes() * reader.height() / kBestDeflateRatio);
  if (!reader.set_output(deep)) throw_damaged(file, "PNG", reader.reason());
}

uint32_t big_endian_u32(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

bool is_png(core::View<const uint8_t> start) {
  return start.size >= 8 && std::equal(std::begin(kSignature), std::end(kSignature), start.data);
}

ImageInfo probe_png(const ImageBytes& file) {
  constexpr int64_t kHeaderEnd = 33;
  if (file.bytes.size < kHeaderEnd || std::memcmp(file.bytes.data + 12, "IHDR", 4) != 0) {
    throw_damaged(file, "PNG", "no header");
  }
  const uint32_t width = big_endian_u32(file.bytes.data + 16);
  const uint32_t height = big_endian_u32(file.bytes.data + 20);
  check_image_size(file, width, height);
  ImageInfo info{static_cast<int>(width), static_cast<int>(height)};
  for (int64_t at = kHeaderEnd; at + 8 <= file.bytes.size;) {
    const int64_t length = big_endian_u32(file.bytes.data + at);
    const uint8_t* type = file.bytes.data + at + 4;
    if (std::memcmp(type, "IDAT", 4) == 0 || at + 8 + length > file.bytes.size) break;
    if (std::memcmp(type, "eXIf", 4) == 0) {
      read_exif({file.bytes.data + at + 8, length}, info);
    }
    at += 12 + length;
  }
  return info;
}

core::Image8 decode_png(const ImageBytes& file) {
  PngReader reader(file.bytes);
  open(reader, file, false);
  core::Image8 image(reader.width(), reader.height(), reader.channels());
  if (!reader.read_rows(image.data.data(), reader.row_bytes())) {
    throw_damaged(file, "PNG", reader.reason());
  }
  return image;
}

Image16 decode_png16(const ImageBytes& file) {
  PngReader reader(file.bytes);
  open(reader, file, true);
  if (reader.bit_depth() != 16 || !reader.is_grey()) {
    throw core::IoError(file.path, "a 16-bit grey picture is expected here");
  }
  Image16 image(reader.width(), reader.height(), 1);
  if (!reader.read_rows(reinterpret_cast<uint8_t*>(image.data.data()), reader.row_bytes())) {
    throw_damaged(file, "PNG", reader.reason());
  }
  return image;
}

}  // namespace tessera::assets
