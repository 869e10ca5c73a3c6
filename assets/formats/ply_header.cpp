// SPDX-License-Identifier: MIT
#include "assets/formats/ply_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_set>

#include "core/error.h"

namespace tessera::assets {
namespace {

struct TypeName {
  std::string_view name;
  PlyType type;
};

constexpr TypeName kTypeNames[] = {
    {"char", PlyType::kInt8},       {"int8", PlyType::kInt8},       {"uchar", PlyType::kUint8},
    {"uint8", PlyType::kUint8},     {"short", PlyType::kInt16},     {"int16", PlyType::kInt16},
    {"ushort", PlyType::kUint16},   {"uint16", PlyType::kUint16},   {"int", PlyType::kInt32},
    {"int32", PlyType::kInt32},     {"uint", PlyType::kUint32},     {"uint32", PlyType::kUint32},
    {"float", PlyType::kFloat32},   {"float32", PlyType::kFloat32}, {"double", PlyType::kFloat64},
    {"float64", PlyType::kFloat64},
};

std::string_view shortened(std::string_view text) {
  return text.substr(0, 60);
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

class HeaderParser {
 public:
  HeaderParser(Bytes bytes, const std::filesystem::path& path)
      : text_(reinterpret_cast<const char*>(bytes.data), static_cast<size_t>(bytes.size)),
        path_(path) {}

  PlyHeader parse() {
    std::string_view line;
    next_line(line);  // "ply"
    bool has_format = false;
    for (;;) {
      line_start_ = at_;
      if (!next_line(line)) {
        throw core::IoError(path_, "the PLY header has no end_header; the file is cut off", at_);
      }
      const std::vector<std::string_view> words = split_words(line);
      if (words.empty()) continue;
      if (words[0] == "end_header") break;
      if (words[0] == "comment" || words[0] == "obj_info") {
        parse_comment(line);
      } else if (words[0] == "format") {
        parse_format(words);
        has_format = true;
      } else if (words[0] == "element") {
        parse_element(words);
      } else if (words[0] == "property") {
        parse_property(words);
      } else {
        fail(
            fmt::format("the PLY header has a line that is not understood: '{}'", shortened(line)));
      }
    }
    if (!has_format) throw core::IoError(path_, "the PLY header has no format line");
    header_.size = at_;
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw core::IoError(path_, what, line_start_);
  }

  bool next_line(std::string_view& line) {
    if (at_ >= text_.size()) return false;
    const size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) return false;
    line = text_.substr(at_, end - at_);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    at_ = end + 1;
    return true;
  }

  void parse_comment(std::string_view line) {
    const size_t word = line.find_first_not_of(" \t");
    const size_t text = line.find_first_of(" \t", word);
    header_.comments.emplace_back(text == std::string_view::npos ? "" : line.substr(text + 1));
  }

  void parse_format(const std::vector<std::string_view>& words) {
    const std::string_view name = words.size() > 1 ? words[1] : "";
    if (name == "ascii") {
      header_.encoding = PlyEncoding::kAscii;
    } else if (name == "binary_little_endian") {
      header_.encoding = PlyEncoding::kLittleEndian;
    } else if (name == "binary_big_endian") {
      header_.encoding = PlyEncoding::kBigEndian;
    } else {
      fail(
          fmt::format("the PLY format '{}' is none of ascii, binary_little_endian and "
                      "binary_big_endian",
                      shortened(name)));
    }
  }

  void parse_element(const std::vector<std::string_view>& words) {
    if (words.size() < 3) fail("the PLY header has an element without a name and a count");
    PlyElement& element = header_.elements.emplace_back();
    element.name = words[1];
    const char* end = words[2].data() + words[2].size();
    const auto [rest, error] = std::from_chars(words[2].data(), end, element.count);
    if (error != std::errc() || rest != end) {
      fail(fmt::format("element {} has the count '{}', which is no whole number from 0 up",
                       shortened(words[1]), shortened(words[2])));
    }
    names_.clear();
  }

  PlyType parse_type(std::string_view name) const {
    for (const TypeName& row : kTypeNames) {
      if (row.name == name) return row.type;
    }
    fail(fmt::format("the PLY header has a property of the unknown type '{}'", shortened(name)));
  }

  void parse_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) fail("the PLY header has a property before any element");
    PlyElement& element = header_.elements.back();
    const bool is_list = words.size() > 1 && words[1] == "list";
    if (words.size() < (is_list ? 5 : 3)) {
      fail(fmt::format("element {} has a property without a type and a name", element.name));
    }
    PlyProperty& property = element.properties.emplace_back();
    if (is_list) {
      property.length_type = parse_type(words[2]);
      if (*property.length_type >= PlyType::kFloat32) {
        fail(fmt::format("the list {} has a length that is no whole number", shortened(words[4])));
      }
    }
    property.type = parse_type(words[is_list ? 3 : 1]);
    property.name = words[is_list ? 4 : 2];
    if (!names_.insert(property.name).second) {
      fail(fmt::format("element {} has the property {} twice", element.name,
                       shortened(property.name)));
    }
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  PlyHeader header_;
  std::unordered_set<std::string> names_;  // of the current element's properties
};

}  // namespace

int size_of(PlyType type) {
  switch (type) {
    case PlyType::kInt8:
    case PlyType::kUint8:
      return 1;
    case PlyType::kInt16:
    case PlyType::kUint16:
      return 2;
    case PlyType::kFloat64:
      return 8;
    default:
      return 4;
  }
}

bool PlyElement::has_list() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PlyProperty& p) { return p.length_type.has_value(); });
}

uint64_t PlyElement::record_size() const {
  uint64_t size = 0;
  for (const PlyProperty& p : properties) size += size_of(p.length_type.value_or(p.type));
  return size;
}

std::optional<size_t> PlyElement::find(std::string_view property) const {
  for (size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].name == property) return i;
  }
  return std::nullopt;
}

bool is_ply(Bytes bytes) {
  return bytes.size >= 4 && std::memcmp(bytes.data, "ply", 3) == 0 &&
         (bytes[3] == '\n' || bytes[3] == '\r' || bytes[3] == ' ');
}

PlyHeader parse_ply_header(Bytes bytes, const std::filesystem::path& path) {
  if (bytes.empty()) throw core::IoError(path, "is empty");
  if (!is_ply(bytes)) throw core::IoError(path, "is no PLY file: it does not begin with 'ply'");
  return HeaderParser(bytes, path).parse();
}

}  // namespace tessera::assets
