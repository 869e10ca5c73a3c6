// The orientation tag of an EXIF block, which is a TIFF file's first directory.
// SPDX-License-Identifier: MIT
#include "assets/photos/decoders.h"

namespace tessera::assets {
namespace {

struct Fields {
  core::View<const uint8_t> bytes;
  bool big_endian;

  bool has(uint64_t at, uint64_t count) const {
    const auto size = static_cast<uint64_t>(bytes.size);
    return at <= size && count <= size - at;
  }
  uint32_t u16(uint64_t at) const {
    const auto i = static_cast<int64_t>(at);
    return big_endian ? uint32_t{bytes[i]} << 8 | bytes[i + 1]
                      : uint32_t{bytes[i + 1]} << 8 | bytes[i];
  }
  uint32_t u32(uint64_t at) const {
    return big_endian ? u16(at) << 16 | u16(at + 2) : u16(at + 2) << 16 | u16(at);
  }
};

}  // namespace

int exif_orientation(core::View<const uint8_t> exif) {
  Fields fields{exif, false};
  if (!fields.has(0, 8)) return 1;
  fields.big_endian = exif[0] == 'M' && exif[1] == 'M';
  if (!fields.big_endian && !(exif[0] == 'I' && exif[1] == 'I')) return 1;
  if (fields.u16(2) != 42) return 1;
  const uint64_t directory = fields.u32(4);
  if (!fields.has(directory, 2)) return 1;
  const uint32_t count = fields.u16(directory);
  for (uint32_t i = 0; i < count; ++i) {
    constexpr uint64_t kEntryBytes = 12;
    const uint64_t entry = directory + 2 + i * kEntryBytes;
    if (!fields.has(entry, kEntryBytes)) return 1;
    constexpr uint32_t kOrientationTag = 0x0112;
    constexpr uint32_t kShort = 3;
    if (fields.u16(entry) != kOrientationTag || fields.u16(entry + 2) != kShort) continue;
    const uint32_t orientation = fields.u16(entry + 8);
    return orientation >= 1 && orientation <= 8 ? static_cast<int>(orientation) : 1;
  }
  return 1;
}

}  // namespace tessera::assets
