// Depth maps as NumPy's .npy: one array of two dimensions, or more if the others are 1.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "assets/bytes.h"
#include "assets/depths/depth_readers.h"
#include "assets/depths/number_type.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// The header, a Python dictionary in text, and where the numbers begin.
struct NpyHeader {
  std::string_view text;
  int64_t end = 0;
};

NpyHeader header_of(const ImageBytes& file) {
  const core::View<const uint8_t> bytes = file.bytes;
  const bool is_long = bytes.size > 6 && bytes[6] >= 2;
  const int64_t begin = is_long ? 12 : 10;
  if (bytes.size < begin) throw_damaged(file, "NPY", "no header");
  const uint64_t length = is_long ? load<uint32_t>(bytes.data + 8) : load<uint16_t>(bytes.data + 8);
  if (length > static_cast<uint64_t>(bytes.size - begin)) {
    throw_damaged(file, "NPY", "its header is cut off");
  }
  return {{reinterpret_cast<const char*>(bytes.data) + begin, length},
          begin + static_cast<int64_t>(length)};
}

// What follows a key and its colon.
std::string_view value_of(std::string_view header, std::string_view key, const ImageBytes& file) {
  size_t at = header.find(key);
  if (at != std::string_view::npos) at = header.find(':', at + key.size());
  if (at != std::string_view::npos) at = header.find_first_not_of(' ', at + 1);
  if (at == std::string_view::npos) {
    throw_damaged(file, "NPY", fmt::format("no {} in its header", key));
  }
  return header.substr(at);
}

NumberType type_of(std::string_view header, const ImageBytes& file) {
  const std::string_view value = value_of(header, "'descr'", file);
  const size_t end = value.find('\'', 1);
  const std::string_view name =
      value[0] == '\'' && end != std::string_view::npos ? value.substr(1, end - 1) : "";
  NumberType type;
  type.big_endian = name.starts_with('>');
  const char kind = name.size() == 3 ? name[1] : '?';
  type.kind = kind == 'u'   ? NumberKind::kUnsigned
              : kind == 'i' ? NumberKind::kSigned
                            : NumberKind::kFloat;
  type.bits = name.size() == 3 ? 8 * (name[2] - '0') : 0;
  if ((kind != 'u' && kind != 'i' && kind != 'f') || !is_known(type)) {
    throw core::IoError(file.path, fmt::format("holds numbers of the type '{}'; integers and "
                                               "floating point of up to 64 bits are read",
                                               name.substr(0, 20)));
  }
  return type;
}

// Lengths of the dimensions, without the first and last ones that are 1 as long as two are left.
std::vector<uint64_t> shape_of(std::string_view header, const ImageBytes& file) {
  const std::string_view value = value_of(header, "'shape'", file);
  std::vector<uint64_t> shape;
  const char* at = value.data();
  const char* const end = at + std::min(value.find(')'), value.size());
  while (at != end && shape.size() < 8) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    const auto [rest, error] = std::from_chars(at, end, shape.emplace_back());
    if (error != std::errc()) throw_damaged(file, "NPY", "a length beyond all bounds");
    at = rest;
  }
  while (shape.size() > 2 && shape.back() == 1) shape.pop_back();
  while (shape.size() > 2 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() != 2) {
    throw core::IoError(file.path, fmt::format("is an array of {} dimensions, but a depth map has "
                                               "two: height and width",
                                               shape.size()));
  }
  return shape;
}

}  // namespace

bool is_npy(core::View<const uint8_t> start) {
  return start.size >= static_cast<int64_t>(kMagic.size()) &&
         std::memcmp(start.data, kMagic.data(), kMagic.size()) == 0;
}

DepthFile read_npy_depth(const ImageBytes& file) {
  const NpyHeader header = header_of(file);
  const NumberType type = type_of(header.text, file);
  const std::vector<uint64_t> shape = shape_of(header.text, file);
  check_image_size(file, shape[1], shape[0], header.end + shape[0] * shape[1] * type.bytes());
  const auto height = static_cast<int>(shape[0]);
  const auto width = static_cast<int>(shape[1]);
  DepthFile depth{core::ImageF(width, height, 1), "NPY", type.bits, type.kind != NumberKind::kFloat,
                  ""};
  to_floats(type, file.bytes.data + header.end, int64_t{width} * height, depth.values.data.data());
  if (value_of(header.text, "'fortran_order'", file).starts_with("True")) {
    const core::ImageF columns = depth.values;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        depth.values.at(x, y) = columns.data[int64_t{x} * height + y];
      }
    }
  }
  return depth;
}

}  // namespace tessera::assets
