// Every scene format's reader against hostile bytes. Whatever is read must be finite, whatever is
// refused must be an IoError.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "assets/format.h"
#include "core/error.h"

namespace {

using namespace tessera;

void expect_finite(const core::GaussianCloud& cloud) {
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) {
      if (!std::isfinite(cloud.plane(p)[i])) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const assets::FormatEntry& format : assets::formats()) {
    try {
      const assets::SceneFile file = format.read({data, static_cast<int64_t>(size)}, "fuzz");
      if (const auto* scene = std::get_if<core::GaussianScene>(&file)) expect_finite(scene->cloud);
    } catch (const core::IoError&) {
      continue;
    }
  }
  return 0;
}
