// Depth maps as PGM (binary, 8 or 16 bits, as Middlebury's disparities) and PFM (floats, rows from
// the bottom).
// Formats: https://netpbm.sourceforge.net/doc/pgm.html,
// https://www.pauldebevec.com/Research/HDR/PFM
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "assets/depths/depth_readers.h"
#include "assets/depths/number_type.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

bool is_space(uint8_t c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The words of a header, which end where the numbers begin: one byte after the last word.
class HeaderWords {
 public:
  explicit HeaderWords(const ImageBytes& file) : file_(file) {}

  int64_t end() const { return at_ + 1; }

  template <class T>
  T number(const char* what) {
    skip_space();
    const char* const first = reinterpret_cast<const char*>(file_.bytes.data) + at_;
    while (at_ < file_.bytes.size && !is_space(file_.bytes[at_])) ++at_;
    const char* const last = reinterpret_cast<const char*>(file_.bytes.data) + at_;
    T value{};
    const auto [rest, error] = std::from_chars(first, last, value);
    if (error != std::errc() || rest != last || at_ >= file_.bytes.size) {
      throw core::IoError(
          file_.path, fmt::format("has no number as {} in its header", what),
          static_cast<uint64_t>(last - reinterpret_cast<const char*>(file_.bytes.data)));
    }
    return value;
  }

 private:
  void skip_space() {
    while (at_ < file_.bytes.size && (is_space(file_.bytes[at_]) || file_.bytes[at_] == '#')) {
      if (file_.bytes[at_] == '#') {
        while (at_ < file_.bytes.size && file_.bytes[at_] != '\n') ++at_;
      } else {
        ++at_;
      }
    }
  }

  const ImageBytes& file_;
  int64_t at_ = 2;
};

DepthFile read_rows(const ImageBytes& file, const std::string& format, const NumberType& type,
                    uint64_t width, uint64_t height, int64_t begin, bool from_bottom) {
  const auto left = static_cast<uint64_t>(file.bytes.size - begin);
  check_image_size(file, width, height);
  if (left < width * height * type.bytes()) {
    throw core::IoError(file.path, fmt::format("ends after {} of its {} rows; copy it again",
                                               left / (width * type.bytes()), height));
  }
  DepthFile depth{core::ImageF(static_cast<int>(width), static_cast<int>(height), 1), format,
                  type.bits, type.kind != NumberKind::kFloat, ""};
  const int64_t row_bytes = static_cast<int64_t>(width) * type.bytes();
  for (int y = 0; y < depth.values.height; ++y) {
    const int64_t row = from_bottom ? depth.values.height - 1 - y : y;
    to_floats(type, file.bytes.data + begin + row * row_bytes, depth.values.width,
              depth.values.row(y));
  }
  return depth;
}

}  // namespace

bool is_pgm(core::View<const uint8_t> start) {
  return start.size >= 3 && start[0] == 'P' && (start[1] == '5' || start[1] == '2') &&
         (is_space(start[2]) || start[2] == '#');
}

DepthFile read_pgm_depth(const ImageBytes& file) {
  if (file.bytes[1] == '2') {
    throw core::IoError(file.path, "is a PGM in text; save it as a binary one (P5)");
  }
  HeaderWords header(file);
  const auto width = header.number<uint32_t>("width");
  const auto height = header.number<uint32_t>("height");
  const auto largest = header.number<uint32_t>("largest value");
  if (largest < 1 || largest > 65535) {
    throw core::IoError(
        file.path, fmt::format("states {} as its largest value; 1 to 65535 are read", largest));
  }
  const NumberType type{NumberKind::kUnsigned, largest < 256 ? 8 : 16, true};
  return read_rows(file, "PGM", type, width, height, header.end(), false);
}

bool is_pfm(core::View<const uint8_t> start) {
  return start.size >= 3 && start[0] == 'P' && (start[1] == 'f' || start[1] == 'F') &&
         is_space(start[2]);
}

DepthFile read_pfm_depth(const ImageBytes& file) {
  if (file.bytes[1] == 'F') {
    throw core::IoError(file.path, "is a PFM with three channels, but a depth map has one");
  }
  HeaderWords header(file);
  const auto width = header.number<uint32_t>("width");
  const auto height = header.number<uint32_t>("height");
  const auto scale = header.number<double>("scale");  // its sign gives the byte order
  if (!std::isfinite(scale) || scale == 0) {
    throw core::IoError(file.path, "states a scale of zero or none, so its byte order is unknown");
  }
  DepthFile depth = read_rows(file, "PFM", {NumberKind::kFloat, 32, scale > 0}, width, height,
                              header.end(), true);
  if (std::abs(scale) != 1) {
    depth.note = fmt::format("The scale {} in its header is not applied.", std::abs(scale));
  }
  return depth;
}

}  // namespace tessera::assets
