// SPDX-License-Identifier: MIT
#include "models/multiplane/stereo.h"

#include "core/error.h"
#include "core/program_module.h"
#include "models/multiplane/stereo_module.h"

namespace tessera::models {

core::ImageF match_stereo(const core::Image8& left, const core::Image8& right,
                          int largest_disparity) {
  if (left.width != right.width || left.height != right.height || left.channels != 3 ||
      right.channels != 3 || left.empty()) {
    throw core::Error(
        "The two photos of a stereo pair must be RGB and of one size; the left one is " +
        std::to_string(left.width) + "x" + std::to_string(left.height) + ", the right one " +
        std::to_string(right.width) + "x" + std::to_string(right.height) + ".");
  }
  constexpr const char* kModule = "tessera_stereo.so";
  static auto* const match = reinterpret_cast<TesseraMatchStereo*>(
      core::function_of_module(kModule, "tessera_match_stereo"));
  if (match == nullptr) {
    throw core::Error(std::string("Stereo pairs are matched by ") + kModule +
                      ", which is not installed; give a depth map instead.");
  }
  core::Array<int16_t> sixteenths(left.pixel_count());
  if (match(left.data.data(), right.data.data(), left.width, left.height, largest_disparity,
            sixteenths.data()) != 0) {
    throw core::Error("The stereo matcher failed on a pair of " + std::to_string(left.width) + "x" +
                      std::to_string(left.height) + ".");
  }
  core::ImageF disparity(left.width, left.height, 1);
  for (int64_t i = 0; i < sixteenths.size(); ++i) {
    disparity.data[i] = sixteenths[i] > 0 ? static_cast<float>(sixteenths[i]) / 16 : 0;
  }
  return disparity;
}

}  // namespace tessera::models
