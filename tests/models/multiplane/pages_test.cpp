// Layers lie within their pages, each with its gutter.
// SPDX-License-Identifier: MIT
#include "models/multiplane/pages.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::models {
namespace {

void expect_apart(const std::vector<core::MultiplaneLayer>& layers,
                  const std::vector<PageSize>& pages) {
  const auto slot = [](const core::MultiplaneLayer& layer, int ring) {
    return core::PixelWindow{layer.x - ring, layer.y - ring, layer.window.width + 2 * ring,
                             layer.window.height + 2 * ring};
  };
  for (const PageSize& page : pages) {
    EXPECT_LE(page.width, core::kLargestPage);
    EXPECT_LE(page.height, core::kLargestPage);
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    ASSERT_LT(static_cast<size_t>(layers[i].page), pages.size());
    const core::PixelWindow own = slot(layers[i], core::kLayerGutter);
    EXPECT_GE(own.left, 0);
    EXPECT_GE(own.top, 0);
    EXPECT_LE(own.right(), pages[layers[i].page].width);
    EXPECT_LE(own.bottom(), pages[layers[i].page].height);
    for (size_t j = 0; j < i; ++j) {
      if (layers[i].page != layers[j].page) continue;
      EXPECT_TRUE(core::intersection(own, slot(layers[j], 0)).empty()) << i << " and " << j;
    }
  }
}

std::vector<core::MultiplaneLayer> layers_of_sizes(int count, int largest) {
  std::vector<core::MultiplaneLayer> layers(count);
  for (int i = 0; i < count; ++i) {
    layers[i].window = {7 * i, 3 * i, 1 + (i * 7919) % largest, 1 + (i * 104729) % largest};
  }
  return layers;
}

TEST(Pages, HoldLayersApart) {
  std::vector<core::MultiplaneLayer> layers = layers_of_sizes(300, 64);
  const std::vector<PageSize> pages = pack_into_pages(layers);
  EXPECT_EQ(pages.size(), 1U);
  expect_apart(layers, pages);
  int64_t texels = 0;
  for (const core::MultiplaneLayer& layer : layers) {
    texels += int64_t{layer.window.width + 4} * (layer.window.height + 4);
  }
  EXPECT_LT(int64_t{pages[0].width} * pages[0].height, texels * 5 / 4);
}

TEST(Pages, AreAsManyAsAreNeeded) {
  std::vector<core::MultiplaneLayer> layers = layers_of_sizes(60, 3000);
  const std::vector<PageSize> pages = pack_into_pages(layers);
  EXPECT_GT(pages.size(), 1U);
  expect_apart(layers, pages);
}

TEST(Pages, HoldTheLargestLayer) {
  constexpr int kLargest = core::kLargestPage - 2 * core::kLayerGutter;
  std::vector<core::MultiplaneLayer> layers(3);
  layers[0].window = layers[2].window = {0, 0, kLargest, kLargest};
  layers[1].window = {0, 0, 1, 1};
  const std::vector<PageSize> pages = pack_into_pages(layers);
  EXPECT_EQ(pages.size(), 3U);
  expect_apart(layers, pages);
}

TEST(Pages, AreNoneWithoutLayers) {
  EXPECT_TRUE(pack_into_pages({}).empty());
}

}  // namespace
}  // namespace tessera::models
