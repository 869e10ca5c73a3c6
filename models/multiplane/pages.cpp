// SPDX-License-Identifier: MIT
#include "models/multiplane/pages.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::models {

std::vector<PageSize> pack_into_pages(std::span<core::MultiplaneLayer> layers) {
  constexpr int kRing = 2 * core::kLayerGutter;
  double area = 0;
  int page_width = 1;
  for (const core::MultiplaneLayer& layer : layers) {
    area += static_cast<double>(layer.window.width + kRing) * (layer.window.height + kRing);
    page_width = std::max(page_width, layer.window.width + kRing);
  }
  page_width =
      std::max(page_width,
               static_cast<int>(std::min<double>(std::ceil(std::sqrt(area)), core::kLargestPage)));
  std::vector<size_t> order(layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const core::PixelWindow& first = layers[a].window;
    const core::PixelWindow& second = layers[b].window;
    return first.height != second.height ? first.height > second.height
                                         : first.width > second.width;
  });
  std::vector<PageSize> pages;
  int x = 0;
  int shelf_top = 0;
  int shelf_bottom = core::kLargestPage;  // no shelf yet, nor a page
  for (const size_t i : order) {
    core::MultiplaneLayer& layer = layers[i];
    const int width = layer.window.width + kRing;
    const int height = layer.window.height + kRing;
    if (pages.empty() || x + width > page_width) {
      x = 0;
      shelf_top = shelf_bottom;
      if (shelf_top + height > core::kLargestPage) {
        pages.push_back({page_width, 0});
        shelf_top = 0;
      }
      shelf_bottom = shelf_top + height;
      pages.back().height = shelf_bottom;
    }
    layer.page = static_cast<int>(pages.size()) - 1;
    layer.x = x + core::kLayerGutter;
    layer.y = shelf_top + core::kLayerGutter;
    x += width;
  }
  return pages;
}

}  // namespace tessera::models
