// Depth of one photo by a network in an ONNX file, through OpenCV's dnn in a module that is loaded
// when asked for.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include "core/image.h"

namespace tessera::models {

struct DepthNetworkInput {
  int width = 0;   // 0: what the network was made for, or else 518 pixels along the longer side in
  int height = 0;  // multiples of 14, as networks on DINOv2 take it
  std::string_view range = "imagenet";  // of values: "imagenet" (less its mean, by its deviation),
                                        // "0-1" or "-1-1"
};

// What the network gives, of whatever size: inverse depth up to scale and shift for most of them.
// `photo` is RGB. Throws core::IoError for a file that is no network, or that OpenCV cannot run,
// naming the operator that it does not know; core::Error if the module is not installed.
core::ImageF estimate_depth(const core::Image8& photo, const std::filesystem::path& network,
                            const DepthNetworkInput& input);

}  // namespace tessera::models
