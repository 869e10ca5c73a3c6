// The readers of depth maps against hostile bytes. What is read has one channel, what is refused
// must be an IoError.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>

#include "assets/depths/depth_readers.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;
  const std::filesystem::path path = "fuzz";
  try {
    const assets::DepthFile depth =
        assets::decode_depth({path, {data, static_cast<int64_t>(size)}});
    if (depth.values.channels != 1 || depth.values.data.size() != depth.values.pixel_count()) {
      std::abort();
    }
  } catch (const core::IoError&) {
    return 0;
  }
  return 0;
}
