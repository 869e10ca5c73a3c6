// The picture decoders against hostile bytes. What is read must have the size that the header
// states, what is refused must be an IoError.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>

#include "assets/photos/decoders.h"
#include "core/error.h"

namespace {

using namespace tessera;

struct Decoder {
  bool (*matches)(core::View<const uint8_t> start);
  assets::ImageInfo (*probe)(const assets::ImageBytes& file);
  core::Image8 (*decode)(const assets::ImageBytes& file);
};

constexpr Decoder kDecoders[] = {
    {assets::is_jpeg, assets::probe_jpeg, assets::decode_jpeg},
    {assets::is_png, assets::probe_png, assets::decode_png},
    {assets::is_tiff, assets::probe_tiff, assets::decode_tiff},
    {assets::is_webp, assets::probe_webp, assets::decode_webp},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path path = "fuzz";
  const assets::ImageBytes file{path, {data, static_cast<int64_t>(size)}};
  for (const Decoder& decoder : kDecoders) {
    if (!decoder.matches(file.bytes)) continue;
    try {
      const assets::ImageInfo info = decoder.probe(file);
      constexpr int64_t kMaxPixels = 1 << 22;  // more takes the fuzzer's time, not its paths
      if (int64_t{info.width} * info.height > kMaxPixels) continue;
      const core::Image8 image = decoder.decode(file);
      if (image.width != info.width || image.height != info.height) std::abort();
    } catch (const core::IoError&) {
      continue;
    }
  }
  return 0;
}
