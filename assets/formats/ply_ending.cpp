// SPDX-License-Identifier: MIT
#include "assets/formats/ply_ending.h"

#include <algorithm>
#include <string_view>

#include "core/error.h"

namespace tessera::assets {
namespace {

// So many lines that end in numbers of so many decimals are a format and no coincidence.
constexpr int kFewestLines = 3, kMostLines = 8;
constexpr size_t kFixedDecimals = 4;
constexpr std::string_view kSpaces = " \t\r\n\v\f";

std::string_view last_word(std::string_view line) {
  const size_t space = line.find_last_of(kSpaces);
  return space == std::string_view::npos ? line : line.substr(space + 1);
}

// Digits after the point of a number without an exponent.
std::optional<size_t> decimals(std::string_view number) {
  if (number.find_first_of("eEnN") != std::string_view::npos) return std::nullopt;
  const size_t point = number.find('.');
  return point == std::string_view::npos ? 0 : number.size() - point - 1;
}

// The decimals that the last numbers of the last lines of `text` all have, if that is a format.
std::optional<size_t> fixed_decimals(std::string_view text) {
  std::optional<size_t> common;
  for (int line = 0; line < kMostLines; ++line) {
    text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
    if (text.empty()) return line < kFewestLines ? std::nullopt : common;
    const std::optional<size_t> here = decimals(last_word(text));
    if (!here || *here < kFixedDecimals || (common && *here != *common)) return std::nullopt;
    common = here;
    const size_t end = text.find_last_of('\n');
    text = text.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return common;
}

// Whether the file's last numbers are those of element `index`.
bool ends_with_element(const PlyHeader& header, size_t index) {
  const auto next = header.elements.begin() + static_cast<std::ptrdiff_t>(index) + 1;
  return header.elements[index].count > 0 &&
         std::all_of(next, header.elements.end(),
                     [](const PlyElement& element) { return element.count == 0; });
}

}  // namespace

std::optional<std::string> ply_ending_note(Bytes bytes, const PlyHeader& header, size_t index,
                                           const std::filesystem::path& path) {
  if (header.encoding != PlyEncoding::kAscii || !ends_with_element(header, index)) {
    return std::nullopt;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data) + header.size,
                              static_cast<size_t>(bytes.size) - header.size);
  if (text.empty() || kSpaces.find(text.back()) != std::string_view::npos) return std::nullopt;
  const std::string_view number = last_word(text);
  const size_t line = text.find_last_of('\n');
  const std::optional<size_t> above =
      fixed_decimals(text.substr(0, line == std::string_view::npos ? 0 : line));
  const std::optional<size_t> here = decimals(number);
  if (above && here == above) return std::nullopt;
  if (number.ends_with('.') || (above && here && *here < *above)) {
    throw core::IoError(
        path,
        "is cut off within its last number, '" + std::string(number) + "'; get the file again",
        static_cast<uint64_t>(bytes.size));
  }
  return "the file ends without a line end, so its last number, " + std::string(number) +
         ", may have been cut short";
}

}  // namespace tessera::assets
