// The header of a PLY file: which elements follow, how many, and of which properties.
//
// Greg Turk's format of 1994 as programs write it: CRLF, comments and obj_info anywhere, type names
// of both families (float, float32), headers of any length.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assets/bytes.h"

namespace tessera::assets {

enum class PlyEncoding { kAscii, kLittleEndian, kBigEndian };
enum class PlyType { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat32, kFloat64 };

int size_of(PlyType type);  // bytes

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::kFloat32;    // of the items, for a list
  std::optional<PlyType> length_type;  // set for a list
};

struct PlyElement {
  std::string name;
  uint64_t count = 0;
  std::vector<PlyProperty> properties;

  bool has_list() const;
  uint64_t record_size() const;  // bytes in a binary file if every list is empty
  std::optional<size_t> find(std::string_view property) const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::kAscii;
  std::vector<PlyElement> elements;   // in the file's order
  std::vector<std::string> comments;  // without the word "comment"
  uint64_t size = 0;                  // bytes up to the first element's data
};

// Throws IoError if this is no PLY header, naming the line.
PlyHeader parse_ply_header(Bytes bytes, const std::filesystem::path& path);

bool is_ply(Bytes bytes);

}  // namespace tessera::assets
