// Tags of an EXIF block, which is a TIFF file: its first directory, and the one of the camera's
// settings that it points to.
// SPDX-License-Identifier: MIT
#include <optional>

#include "assets/photos/decoders.h"

namespace tessera::assets {
namespace {

constexpr uint32_t kShort = 3;
constexpr uint32_t kLong = 4;

class ExifBlock {
 public:
  explicit ExifBlock(core::View<const uint8_t> bytes) : bytes_(bytes) {
    if (!has(0, 8)) return;
    big_endian_ = bytes[0] == 'M' && bytes[1] == 'M';
    is_exif_ = (big_endian_ || (bytes[0] == 'I' && bytes[1] == 'I')) && u16(2) == 42;
  }

  // The number of a tag in the directory at this offset; nothing if it is not there, of another
  // type, or the block is broken before it.
  std::optional<uint32_t> number(uint64_t directory, uint32_t tag, uint32_t type) const {
    if (!is_exif_ || !has(directory, 2)) return std::nullopt;
    const uint32_t count = u16(directory);
    for (uint32_t i = 0; i < count; ++i) {
      constexpr uint64_t kEntryBytes = 12;
      const uint64_t entry = directory + 2 + i * kEntryBytes;
      if (!has(entry, kEntryBytes)) return std::nullopt;
      if (u16(entry) != tag || u16(entry + 2) != type) continue;
      return type == kShort ? u16(entry + 8) : u32(entry + 8);
    }
    return std::nullopt;
  }
  uint64_t first_directory() const { return is_exif_ ? u32(4) : 0; }

 private:
  bool has(uint64_t at, uint64_t count) const {
    const auto size = static_cast<uint64_t>(bytes_.size);
    return at <= size && count <= size - at;
  }
  uint32_t u16(uint64_t at) const {
    const auto i = static_cast<int64_t>(at);
    return big_endian_ ? uint32_t{bytes_[i]} << 8 | bytes_[i + 1]
                       : uint32_t{bytes_[i + 1]} << 8 | bytes_[i];
  }
  uint32_t u32(uint64_t at) const {
    return big_endian_ ? u16(at) << 16 | u16(at + 2) : u16(at + 2) << 16 | u16(at);
  }

  core::View<const uint8_t> bytes_;
  bool big_endian_ = false;
  bool is_exif_ = false;
};

}  // namespace

void read_exif(core::View<const uint8_t> exif, ImageInfo& info) {
  constexpr uint32_t kOrientation = 0x0112;
  constexpr uint32_t kSettings = 0x8769;
  constexpr uint32_t kFocalLengthIn35mmFilm = 0xA405;
  const ExifBlock block(exif);
  const uint32_t orientation =
      block.number(block.first_directory(), kOrientation, kShort).value_or(1);
  if (orientation >= 1 && orientation <= 8) info.exif_orientation = static_cast<int>(orientation);
  const std::optional<uint32_t> settings = block.number(block.first_directory(), kSettings, kLong);
  if (!settings) return;
  info.focal_35mm =
      static_cast<int>(block.number(*settings, kFocalLengthIn35mmFilm, kShort).value_or(0));
}

}  // namespace tessera::assets
