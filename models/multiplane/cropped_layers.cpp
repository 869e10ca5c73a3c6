// SPDX-License-Identifier: MIT
#include "models/multiplane/cropped_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.h"
#include "models/multiplane/pages.h"

namespace tessera::models {
namespace {

constexpr int kBlock = 16;  // texels on a side
constexpr float kLeastAlpha = 0.5F / 255;
constexpr int kClear = -1;
constexpr int kUnknown = -2;

// Blocks of a layer: which part each belongs to.
struct Parts {
  int columns = 0;
  int rows = 0;
  std::vector<int> part;  // by block; kClear, or kUnknown until it is known
  int count = 0;

  int& at(int x, int y) { return part[static_cast<size_t>(y) * columns + x]; }
  int at(int x, int y) const { return part[static_cast<size_t>(y) * columns + x]; }
};

void spread(Parts& parts, int x0, int y0, int to) {
  std::vector<std::pair<int, int>> open = {{x0, y0}};
  parts.at(x0, y0) = to;
  while (!open.empty()) {
    const auto [x, y] = open.back();
    open.pop_back();
    for (int v = std::max(0, y - 1); v <= std::min(parts.rows - 1, y + 1); ++v) {
      for (int u = std::max(0, x - 1); u <= std::min(parts.columns - 1, x + 1); ++u) {
        if (parts.at(u, v) != kUnknown) continue;
        parts.at(u, v) = to;
        open.emplace_back(u, v);
      }
    }
  }
}

// Blocks that touch, by a side or a corner, are of one part.
Parts parts_of(const core::ImageF& page, const core::MultiplaneLayer& layer) {
  Parts parts;
  parts.columns = (layer.window.width + kBlock - 1) / kBlock;
  parts.rows = (layer.window.height + kBlock - 1) / kBlock;
  parts.part.assign(static_cast<size_t>(parts.columns) * parts.rows, kClear);
  for (int y = 0; y < layer.window.height; ++y) {
    for (int x = 0; x < layer.window.width; ++x) {
      if (page.at(layer.x + x, layer.y + y, 3) < kLeastAlpha) continue;
      parts.at(x / kBlock, y / kBlock) = kUnknown;
    }
  }
  for (int y = 0; y < parts.rows; ++y) {
    for (int x = 0; x < parts.columns; ++x) {
      if (parts.at(x, y) == kUnknown) spread(parts, x, y, parts.count++);
    }
  }
  return parts;
}

// A part of a layer that is to be a layer of its own.
struct Piece {
  size_t layer = 0;
  int part = 0;
};

}  // namespace

core::MultiplaneImage cropped_layers(const core::MultiplaneImageF& image) {
  core::MultiplaneImage cropped;
  cropped.camera = image.camera;
  cropped.metric = image.metric;
  std::vector<Parts> parts;
  std::vector<Piece> pieces;
  constexpr int kMostTexelsASide = core::kLargestPage - 2 * core::kLayerGutter;
  for (size_t i = 0; i < image.layers.size(); ++i) {
    const core::MultiplaneLayer& layer = image.layers[i];
    const Parts& of_layer = parts.emplace_back(parts_of(image.pages[layer.page], layer));
    for (int part = 0; part < of_layer.count; ++part) {
      int left = of_layer.columns;
      int right = 0;
      int top = of_layer.rows;
      int bottom = 0;
      for (int y = 0; y < of_layer.rows; ++y) {
        for (int x = 0; x < of_layer.columns; ++x) {
          if (of_layer.at(x, y) != part) continue;
          left = std::min(left, x);
          right = std::max(right, x + 1);
          top = std::min(top, y);
          bottom = std::max(bottom, y + 1);
        }
      }
      const core::PixelWindow window = {
          layer.window.left + left * kBlock, layer.window.top + top * kBlock,
          std::min(right * kBlock, layer.window.width) - left * kBlock,
          std::min(bottom * kBlock, layer.window.height) - top * kBlock};
      if (window.width > kMostTexelsASide || window.height > kMostTexelsASide) {
        throw core::Error(fmt::format(
            "A plane of {}x{} texels does not fit into a page of {}; make the photos smaller.",
            window.width, window.height, core::kLargestPage));
      }
      cropped.layers.push_back({layer.plane, window});
      pieces.push_back({i, part});
    }
  }
  for (const PageSize& size : pack_into_pages(cropped.layers)) {
    cropped.pages.emplace_back(size.width, size.height, 4).data.fill(0);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const core::MultiplaneLayer& from = image.layers[pieces[i].layer];
    const core::MultiplaneLayer& to = cropped.layers[i];
    const Parts& of_layer = parts[pieces[i].layer];
    for (int y = 0; y < to.window.height; ++y) {
      for (int x = 0; x < to.window.width; ++x) {
        const int u = to.window.left + x - from.window.left;
        const int v = to.window.top + y - from.window.top;
        if (of_layer.at(u / kBlock, v / kBlock) != pieces[i].part) continue;
        const float* texel = &image.pages[from.page].at(from.x + u, from.y + v);
        uint8_t* byte = &cropped.pages[to.page].at(to.x + x, to.y + y);
        for (int c = 0; c < 4; ++c) byte[c] = static_cast<uint8_t>(texel[c] * 255 + 0.5F);
      }
    }
  }
  return cropped;
}

}  // namespace tessera::models
