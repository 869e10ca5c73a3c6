// SPDX-License-Identifier: MIT
#include "models/multiplane/tile_layers.h"

#include <algorithm>

#include "models/multiplane/hidden_colors.h"

namespace tessera::models {
namespace {

constexpr float kSameSurface = 0.5F;  // pixels of disparity between planes that meet in one

// Whether the plane is seen in a pixel beside this one.
bool is_beside(const PlannedTile& tile, const core::Image8& labels, int plane, int x, int y) {
  const int left = std::max(x - 1 - tile.window.left, 0);
  const int right = std::min(x + 1 - tile.window.left, labels.width - 1);
  const int top = std::max(y - 1 - tile.window.top, 0);
  const int bottom = std::min(y + 1 - tile.window.top, labels.height - 1);
  for (int v = top; v <= bottom; ++v) {
    for (int u = left; u <= right; ++u) {
      if (labels.at(u, v) == plane) return true;
    }
  }
  return false;
}

std::vector<TileLayer> layers_of_tile(const LabeledTile& labeled) {
  const PlannedTile& tile = *labeled.tile;
  std::vector<TileLayer> layers;
  for (size_t plane = 0; plane < tile.planes.size(); ++plane) {
    int left = tile.window.right();
    int right = tile.window.left;
    int top = tile.window.bottom();
    int bottom = tile.window.top;
    double sum = 0;
    int64_t hidden = 0;
    bool visible = false;
    for (int y = tile.window.top; y < tile.window.bottom(); ++y) {
      for (int x = tile.window.left; x < tile.window.right(); ++x) {
        const Texel texel = texel_at(labeled, static_cast<int>(plane), x, y);
        if (texel == Texel::kNone) continue;
        left = std::min(left, x);
        right = std::max(right, x + 1);
        top = std::min(top, y);
        bottom = std::max(bottom, y + 1);
        visible = visible || texel == Texel::kVisible;
        if (texel != Texel::kHidden) continue;
        sum += tile.planes[plane].at(x + 0.5F, y + 0.5F);
        ++hidden;
      }
    }
    if (!visible) continue;
    layers.push_back({labeled,
                      static_cast<int>(plane),
                      {left, top, right - left, bottom - top},
                      hidden > 0,
                      static_cast<float>(sum / static_cast<double>(std::max<int64_t>(hidden, 1)))});
  }
  return layers;
}

}  // namespace

Texel texel_at(const PlannedTile& tile, const core::Image8& labels, int plane, int x, int y) {
  const int label = labels.at(x - tile.window.left, y - tile.window.top);
  if (label == plane) return Texel::kVisible;
  const float u = x + 0.5F;
  const float v = y + 0.5F;
  const auto is_nearer = [&](int a, int b) {
    return tile.planes[a].at(u, v) > tile.planes[b].at(u, v);
  };
  const int resting = tile.labels.at(x - tile.window.left, y - tile.window.top);
  if (is_nearer(label, resting)) {
    return plane == resting || is_nearer(resting, plane) ? Texel::kHidden : Texel::kNone;
  }
  if (is_nearer(label, plane)) return Texel::kHidden;
  const float before = tile.planes[plane].at(u, v) - tile.planes[label].at(u, v);
  return before < kSameSurface && is_beside(tile, labels, plane, x, y) ? Texel::kVisible
                                                                       : Texel::kNone;
}

Texel texel_at(const LabeledTile& tile, int plane, int x, int y) {
  Texel best = Texel::kNone;
  for (const core::Image8& labels : tile.labels) {
    const Texel texel = texel_at(*tile.tile, labels, plane, x, y);
    if (texel == Texel::kVisible) return texel;
    if (texel == Texel::kHidden) best = texel;
  }
  return best;
}

std::vector<TileLayer> layers_of(std::span<const LabeledTile> tiles, core::ThreadPool& pool) {
  std::vector<std::vector<TileLayer>> of_tiles(tiles.size());
  pool.parallel_for(static_cast<int64_t>(tiles.size()), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) of_tiles[i] = layers_of_tile(tiles[i]);
  });
  std::vector<TileLayer> layers;
  for (const std::vector<TileLayer>& of_tile : of_tiles) {
    layers.insert(layers.end(), of_tile.begin(), of_tile.end());
  }
  return layers;
}

math::Vec3<float> plane_of(const TileLayer& layer, const core::Camera& camera, double baseline) {
  const DisparityPlane& plane = layer.of.tile->planes[layer.plane];
  const double scale = camera.fx * baseline;
  return {static_cast<float>(plane.slope_x * camera.fx / scale),
          static_cast<float>(plane.slope_y * camera.fy / scale),
          static_cast<float>(
              plane.at(static_cast<float>(camera.cx), static_cast<float>(camera.cy)) / scale)};
}

void write_hidden_texels(const core::Image8& photo, const DisparityMap& map,
                         std::span<const TileLayer> layers, core::MultiplaneImage& image,
                         const std::function<void(const PlanProgress&)>& progress,
                         core::ThreadPool& pool) {
  HiddenColors hidden(photo, map, pool);
  std::vector<std::vector<size_t>> of_steps(hidden.step_count());
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].hides) of_steps[hidden.step_of(layers[i].hidden_disparity)].push_back(i);
  }
  const auto say = [&](size_t done) {
    if (!progress) return;
    progress({"hidden colors", "depth", static_cast<int64_t>(done),
              static_cast<int64_t>(of_steps.size())});
  };
  const auto write_step = [&](size_t step) {
    const std::vector<size_t>& of_step = of_steps[step];
    if (of_step.empty()) return;
    hidden.look_behind(static_cast<int>(step));
    pool.parallel_for(
        static_cast<int64_t>(of_step.size()), 1, [&](int64_t begin, int64_t end, int) {
          for (int64_t k = begin; k < end; ++k) {
            const size_t i = of_step[k];
            write_texels(layers[i], Texel::kHidden, image.layers[i], image,
                         [&](int x, int y, uint8_t* texel) { hidden.color(x, y, texel); });
          }
        });
  };
  say(0);
  for (size_t step = 0; step < of_steps.size(); ++step) {
    write_step(step);
    say(step + 1);
  }
}

}  // namespace tessera::models
