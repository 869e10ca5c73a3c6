// BMP, PNM and JPEG 2000 through OpenCV, in a module that is loaded when the first such file is
// met. Sizes are read from the headers here, so that a probe needs no module.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "assets/photos/decoders.h"
#include "assets/photos/foreign_module.h"
#include "core/error.h"
#include "core/program_module.h"

namespace tessera::assets {
namespace {

constexpr const char* kModule = "tessera_foreign_images.so";

bool is_bmp(core::View<const uint8_t> start) {
  return start.size >= 26 && start[0] == 'B' && start[1] == 'M';
}

bool is_pnm(core::View<const uint8_t> start) {
  return start.size >= 3 && start[0] == 'P' && start[1] >= '1' && start[1] <= '6' &&
         std::isspace(start[2]) != 0;
}

bool is_jp2(core::View<const uint8_t> start) {
  constexpr uint8_t kBox[] = {0, 0, 0, 12, 'j', 'P', ' ', ' '};
  return start.size >= 12 && std::equal(std::begin(kBox), std::end(kBox), start.data);
}

int32_t little_i32(const uint8_t* bytes) {
  int32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

// The header's next number, comments skipped; 0 if there is none.
uint64_t next_number(std::string_view& text) {
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
    const size_t end = text.front() == '#' ? std::min(text.find('\n'), text.size() - 1) : 0;
    text.remove_prefix(end + 1);
  }
  uint64_t value = 0;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         value < 1000000) {
    value = value * 10 + static_cast<uint64_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

struct Size {
  uint64_t width = 0;
  uint64_t height = 0;
};

Size stated_size(const ImageBytes& file) {
  const core::View<const uint8_t> bytes = file.bytes;
  if (is_bmp(bytes)) {
    return {static_cast<uint64_t>(std::abs(int64_t{little_i32(bytes.data + 18)})),
            static_cast<uint64_t>(std::abs(int64_t{little_i32(bytes.data + 22)}))};
  }
  if (is_pnm(bytes)) {
    std::string_view text(reinterpret_cast<const char*>(bytes.data),
                          std::min<int64_t>(bytes.size, 4096));
    text.remove_prefix(2);
    const uint64_t width = next_number(text);
    return {width, next_number(text)};
  }
  constexpr uint8_t kImageHeader[] = {'i', 'h', 'd', 'r'};
  const uint8_t* found =
      std::search(bytes.begin(), bytes.end(), std::begin(kImageHeader), std::end(kImageHeader));
  if (bytes.end() - found < 12) throw_damaged(file, "JPEG 2000", "no header");
  const auto big_u32 = [](const uint8_t* p) {
    return uint64_t{p[0]} << 24 | uint64_t{p[1]} << 16 | uint64_t{p[2]} << 8 | p[3];
  };
  return {big_u32(found + 8), big_u32(found + 4)};
}

}  // namespace

bool is_foreign(core::View<const uint8_t> start) {
  return is_bmp(start) || is_pnm(start) || is_jp2(start);
}

ImageInfo probe_foreign(const ImageBytes& file) {
  const Size size = stated_size(file);
  constexpr uint64_t kMostPixelsPerByte = 8192;
  check_image_size(file, size.width, size.height, size.width * size.height / kMostPixelsPerByte);
  return {static_cast<int>(size.width), static_cast<int>(size.height), 1};
}

core::Image8 decode_foreign(const ImageBytes& file) {
  const ImageInfo stated = probe_foreign(file);
  static auto* const decode = reinterpret_cast<TesseraDecodeForeign*>(
      core::function_of_module(kModule, "tessera_decode_foreign"));
  if (decode == nullptr) {
    throw core::IoError(file.path, std::string("its format is read by ") + kModule +
                                       ", which is not installed; convert the file to PNG or JPEG");
  }
  int width = 0;
  int height = 0;
  int channels = 0;
  uint8_t* decoded = nullptr;
  const int failed = decode(file.bytes.data, static_cast<size_t>(file.bytes.size), &width, &height,
                            &channels, &decoded);
  const std::unique_ptr<uint8_t, decltype(&std::free)> pixels(decoded, std::free);
  if (failed != 0 || width != stated.width || height != stated.height) {
    throw_damaged(file, "picture", "no whole picture");
  }
  core::Image8 image(width, height, channels);
  std::copy_n(pixels.get(), image.data.size(), image.data.data());
  return image;
}

}  // namespace tessera::assets
