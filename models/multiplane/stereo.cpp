// SPDX-License-Identifier: MIT
#include "models/multiplane/stereo.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/program_module.h"
#include "models/multiplane/disparity_islands.h"
#include "models/multiplane/stereo_module.h"

namespace tessera::models {
namespace {

// Of the picture; larger pieces are believed. Views of Aloe and cones are best so.
constexpr int64_t kIslandPart = 3500;

}  // namespace

core::ImageF match_stereo(const core::Image8& left, const core::Image8& right,
                          int largest_disparity) {
  if (left.width != right.width || left.height != right.height || left.channels != 3 ||
      right.channels != 3 || left.empty()) {
    throw core::Error(fmt::format(
        "The two photos of a stereo pair must be RGB and of one size; the left one is {}x{}, the "
        "right one {}x{}.",
        left.width, left.height, right.width, right.height));
  }
  constexpr const char* kModule = "tessera_stereo.so";
  static auto* const match = reinterpret_cast<TesseraMatchStereo*>(
      core::function_of_module(kModule, "tessera_match_stereo"));
  if (match == nullptr) {
    throw core::Error(fmt::format(
        "Stereo pairs are matched by {}, which is not installed; give a depth map instead.",
        kModule));
  }
  core::Array<int16_t> sixteenths(left.pixel_count());
  if (match(left.data.data(), right.data.data(), left.width, left.height, largest_disparity,
            sixteenths.data()) != 0) {
    throw core::Error(
        fmt::format("The stereo matcher failed on a pair of {}x{}.", left.width, left.height));
  }
  core::ImageF disparity(left.width, left.height, 1);
  for (int64_t i = 0; i < sixteenths.size(); ++i) {
    disparity.data[i] = sixteenths[i] > 0 ? static_cast<float>(sixteenths[i]) / 16 : 0;
  }
  IslandLimits limits;
  limits.pixels = disparity.pixel_count() / kIslandPart;
  clear_islands(disparity, limits);
  return disparity;
}

}  // namespace tessera::models
