// SPDX-License-Identifier: MIT
#include "assets/formats/ply_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr uint64_t kBlockRows = 128;  // 32 kB at 62 floats

[[noreturn]] void throw_cut_off(const PlyElement& element, uint64_t there, uint64_t at,
                                const std::filesystem::path& path) {
  throw core::IoError(path,
                      fmt::format("is cut off: element {} should have {} records, but only {} are "
                                  "there; get the file again",
                                  element.name, element.count, there),
                      at);
}

// Calls with_type(T()) for the C++ type behind `type`.
template <class Body>
auto with_type(PlyType type, Body body) {
  switch (type) {
    case PlyType::kInt8:
      return body(int8_t{});
    case PlyType::kUint8:
      return body(uint8_t{});
    case PlyType::kInt16:
      return body(int16_t{});
    case PlyType::kUint16:
      return body(uint16_t{});
    case PlyType::kInt32:
      return body(int32_t{});
    case PlyType::kUint32:
      return body(uint32_t{});
    case PlyType::kFloat32:
      return body(float{});
    default:
      return body(double{});
  }
}

double load_number(const uint8_t* from, PlyType type, bool big_endian) {
  return with_type(type, [&](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(big_endian ? load<T, true>(from) : load<T>(from));
  });
}

template <class From, bool kBigEndian, class To>
void copy_column(const uint8_t* from, uint64_t stride, uint64_t count, To* to) {
  for (uint64_t i = 0; i < count; ++i) {
    to[i] = static_cast<To>(load<From, kBigEndian>(from + i * stride));
  }
}

template <class To>
void copy_column(PlyType type, bool big_endian, const uint8_t* from, uint64_t stride,
                 uint64_t count, To* to) {
  with_type(type, [&](auto zero) {
    using From = decltype(zero);
    if (big_endian) {
      copy_column<From, true>(from, stride, count, to);
    } else {
      copy_column<From, false>(from, stride, count, to);
    }
  });
}

// Walks the file from one record to the next. A record's plain values land in `row`, in the order
// of its properties; lists are passed over and leave a 0.
class RecordReader {
 public:
  RecordReader(Bytes bytes, const PlyHeader& header, const std::filesystem::path& path)
      : bytes_(bytes), header_(header), path_(path), at_(header.size) {}

  uint64_t position() const { return at_; }
  uint64_t remaining() const { return static_cast<uint64_t>(bytes_.size) - at_; }
  const uint8_t* here() const { return bytes_.data + at_; }
  bool is_binary() const { return header_.encoding != PlyEncoding::kAscii; }
  bool is_big_endian() const { return header_.encoding == PlyEncoding::kBigEndian; }

  // The least number of bytes that a record can take.
  uint64_t least_record_size(const PlyElement& element) const {
    return is_binary() ? element.record_size() : 2 * element.properties.size();
  }

  void check_count(const PlyElement& element) const {
    // The last number of an ASCII file needs no line end.
    const uint64_t room = remaining() + (is_binary() ? 0 : 1);
    const uint64_t least = least_record_size(element);
    if (!fits(element.count, least, room)) throw_cut_off(element, room / least, bytes_.size, path_);
  }

  void skip(const PlyElement& element) {
    if (element.properties.empty()) return;
    check_count(element);
    if (is_binary() && !element.has_list()) {
      at_ += element.count * element.record_size();
      return;
    }
    std::vector<double> row(element.properties.size());
    for (uint64_t i = 0; i < element.count; ++i) read(element, i, row);
  }

  void read(const PlyElement& element, uint64_t record, std::vector<double>& row) {
    for (size_t p = 0; p < element.properties.size(); ++p) {
      const PlyProperty& property = element.properties[p];
      if (!property.length_type) {
        row[p] = next(element, record, property.type);
        continue;
      }
      const double length = next(element, record, *property.length_type);
      if (!(length >= 0 && length <= std::numeric_limits<uint32_t>::max())) {
        throw core::IoError(path_,
                            fmt::format("record {} of element {} has the list {} of length {}",
                                        record, element.name, property.name, length),
                            at_);
      }
      skip_values(element, record, property.type, static_cast<uint64_t>(length));
    }
  }

 private:
  double next(const PlyElement& element, uint64_t record, PlyType type) {
    if (!is_binary()) return next_ascii(element, record);
    if (remaining() < static_cast<uint64_t>(size_of(type))) {
      throw_cut_off(element, record, at_, path_);
    }
    const double value = load_number(here(), type, is_big_endian());
    at_ += size_of(type);
    return value;
  }

  void skip_values(const PlyElement& element, uint64_t record, PlyType type, uint64_t count) {
    if (is_binary()) {
      if (!fits(count, size_of(type), remaining())) throw_cut_off(element, record, at_, path_);
      at_ += count * size_of(type);
      return;
    }
    for (uint64_t i = 0; i < count; ++i) next_ascii(element, record);
  }

  double next_ascii(const PlyElement& element, uint64_t record) {
    const char* text = reinterpret_cast<const char*>(bytes_.data);
    const char* end = text + bytes_.size;
    const char* begin = text + at_;
    const auto is_space = [](char c) {
      return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
    };
    while (begin != end && is_space(*begin)) ++begin;
    if (begin == end) throw_cut_off(element, record, bytes_.size, path_);
    const char* word_end = std::find_if(begin, end, is_space);
    at_ = static_cast<uint64_t>(word_end - text);
    const char* digits = *begin == '+' ? begin + 1 : begin;
    double value = 0;
    const auto [rest, error] = std::from_chars(digits, word_end, value);
    if (error == std::errc() && rest == word_end) return value;
    const std::string_view word(begin, std::min<size_t>(word_end - begin, 40));
    if (error == std::errc::result_out_of_range && rest == word_end) {
      return value_out_of_range(word);
    }
    // What Microsoft's run time printed for a number that is none: 1.#QNAN, -1.#IND, 1.#INF.
    if (word.find(".#") != std::string_view::npos) return std::numeric_limits<double>::quiet_NaN();
    throw core::IoError(path_,
                        fmt::format("record {} of element {} has '{}' where a number is due",
                                    record, element.name, word),
                        static_cast<uint64_t>(begin - text));
  }

  // from_chars does not say whether a number was too large or too small for a double.
  static double value_out_of_range(std::string_view word) {
    const size_t exponent = word.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < word.size() &&
                      word[exponent + 1] == '-';
    if (tiny) return 0;
    return word[0] == '-' ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity();
  }

  Bytes bytes_;
  const PlyHeader& header_;
  const std::filesystem::path& path_;
  uint64_t at_;
};

RecordReader reader_at(Bytes bytes, const PlyHeader& header, size_t index,
                       const std::filesystem::path& path) {
  RecordReader reader(bytes, header, path);
  for (size_t i = 0; i < index; ++i) reader.skip(header.elements[i]);
  reader.check_count(header.elements[index]);
  return reader;
}

void read_blocks(const RecordReader& reader, const PlyElement& element,
                 const std::vector<PlyColumn>& columns) {
  std::vector<uint64_t> offsets;
  uint64_t stride = 0;
  for (const PlyProperty& property : element.properties) {
    offsets.push_back(stride);
    stride += size_of(property.type);
  }
  const bool big = reader.is_big_endian();
  for (uint64_t first = 0; first < element.count; first += kBlockRows) {
    const uint64_t rows = std::min(kBlockRows, element.count - first);
    for (const PlyColumn& column : columns) {
      const uint8_t* from = reader.here() + first * stride + offsets[column.property];
      const PlyType type = element.properties[column.property].type;
      if (column.floats != nullptr) {
        copy_column(type, big, from, stride, rows, column.floats + first);
      } else {
        copy_column(type, big, from, stride, rows, column.doubles + first);
      }
    }
  }
}

}  // namespace

void check_ply_element(Bytes bytes, const PlyHeader& header, size_t index,
                       const std::filesystem::path& path) {
  reader_at(bytes, header, index, path);
}

void read_ply_columns(Bytes bytes, const PlyHeader& header, size_t index,
                      const std::vector<PlyColumn>& columns, const std::filesystem::path& path) {
  RecordReader reader = reader_at(bytes, header, index, path);
  const PlyElement& element = header.elements[index];
  if (reader.is_binary() && !element.has_list()) {
    read_blocks(reader, element, columns);
    return;
  }
  std::vector<double> row(element.properties.size());
  for (uint64_t i = 0; i < element.count; ++i) {
    reader.read(element, i, row);
    for (const PlyColumn& column : columns) {
      if (column.floats != nullptr) {
        column.floats[i] = static_cast<float>(row[column.property]);
      } else {
        column.doubles[i] = row[column.property];
      }
    }
  }
}

}  // namespace tessera::assets
