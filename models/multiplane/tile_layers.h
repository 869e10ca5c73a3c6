// From planned tiles to layers: which texels each plane of a tile has, and the colors of those that
// nearer layers hide.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/thread_pool.h"
#include "models/multiplane/disparity_map.h"
#include "models/multiplane/planner.h"

namespace tessera::models {

// A tile with labels of its pixels: one picture of them, or one for each frame of a clip.
struct LabeledTile {
  const PlannedTile* tile = nullptr;
  std::span<const core::Image8> labels;
};

// A plane of a tile that has texels, and where. Of several frames, in any of them.
struct TileLayer {
  LabeledTile of;
  int plane = 0;
  core::PixelWindow window;  // the tile's, cropped to the texels
  bool hides = false;        // whether nearer layers hide any of it
  float hidden_disparity = 0;
};

// A layer is opaque where it or anything nearer is seen. Behind what comes nearer in a frame than
// the tile's own labels say is what they say. Where two layers meet in a surface, the nearer one
// reaches a pixel over the other: half of both would be a seam that shows what lies behind.
enum class Texel { kNone, kVisible, kHidden };

// In one picture of labels; x and y are the photo's.
Texel texel_at(const PlannedTile& tile, const core::Image8& labels, int plane, int x, int y);
// What a texel is at best in all frames: visible, else hidden.
Texel texel_at(const LabeledTile& tile, int plane, int x, int y);

// Of all tiles, in order; only planes that are seen.
std::vector<TileLayer> layers_of(std::span<const LabeledTile> tiles, core::ThreadPool& pool);

// As a multiplane image has it: dot(n, ray) is the inverse depth.
math::Vec3<float> plane_of(const TileLayer& layer, const core::Camera& camera, double baseline);

// Calls color(x, y, rgb) for the layer's texels of that kind, and makes them opaque.
template <class Color>
void write_texels(const TileLayer& layer, Texel wanted, const core::MultiplaneLayer& place,
                  core::MultiplaneImage& image, const Color& color) {
  core::Image8& page = image.pages[place.page];
  for (int y = layer.window.top; y < layer.window.bottom(); ++y) {
    for (int x = layer.window.left; x < layer.window.right(); ++x) {
      if (texel_at(layer.of, layer.plane, x, y) != wanted) continue;
      uint8_t* texel = &page.at(place.x + x - layer.window.left, place.y + y - layer.window.top);
      color(x, y, texel);
      texel[3] = 255;
    }
  }
}

// Hidden texels of all layers, whose places are image.layers. `progress` is that of PlanSettings.
void write_hidden_texels(const core::Image8& photo, const DisparityMap& map,
                         std::span<const TileLayer> layers, core::MultiplaneImage& image,
                         const std::function<void(const PlanProgress&)>& progress,
                         core::ThreadPool& pool);

}  // namespace tessera::models
