// The least multiplane image: one layer on one page.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/multiplane_image.h"

namespace tessera::test {

// All white, over the whole of a picture of 8x8 pixels.
inline core::MultiplaneImage one_layer() {
  core::MultiplaneImage image;
  image.camera.camera.width = image.camera.camera.height = 8;
  image.camera.camera.fx = image.camera.camera.fy = 8;
  image.camera.camera.cx = image.camera.camera.cy = 4;
  image.layers.push_back({{0, 0, 0.5F}, {0, 0, 8, 8}, 0, 2, 2});
  image.pages.emplace_back(12, 12, 4).data.fill(255);
  return image;
}

}  // namespace tessera::test
