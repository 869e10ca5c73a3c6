// A photo and the camera that took it.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/camera.h"
#include "core/image.h"

namespace tessera::models {

struct PosedPhoto {
  core::Image8 pixels;       // RGB
  core::Image8 mask;         // 1 channel, counts from 128 on; empty: all pixels count
  core::PosedCamera camera;  // a pinhole of the photo's size
};

}  // namespace tessera::models
