// Where layers' texels are: the packing of rectangles into pages.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/multiplane_image.h"

namespace tessera::models {

struct PageSize {
  int width = 0;
  int height = 0;
};

// Sets page, x and y of each layer from the sizes of their windows: in shelves, highest first, with
// core::kLayerGutter texels around each. Pages are up to core::kLargestPage on a side; windows must
// fit into one. Returns the sizes of the pages.
std::vector<PageSize> pack_into_pages(std::span<core::MultiplaneLayer> layers);

}  // namespace tessera::models
