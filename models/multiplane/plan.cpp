// SPDX-License-Identifier: MIT
#include "models/multiplane/plan.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "models/multiplane/disparity_map.h"
#include "models/multiplane/hidden_colors.h"
#include "models/multiplane/pages.h"
#include "models/multiplane/planner.h"

namespace tessera::models {
namespace {

constexpr double kUsualMotion = 0.04;    // of the width, the nearest against the farthest
constexpr double kOutlierShare = 0.002;  // of the known pixels, on either side

// A plane of a tile that has texels, and where.
struct TileLayer {
  const PlannedTile* tile = nullptr;
  int plane = 0;
  core::PixelWindow window;  // the tile's, cropped to the texels
  bool hides = false;        // whether nearer layers hide any of it
  float hidden_disparity = 0;
};

enum class Texel { kNone, kVisible, kHidden };

// A layer is opaque where it or anything nearer is seen.
Texel texel_at(const PlannedTile& tile, int plane, int x, int y) {
  const int label = tile.labels.at(x - tile.window.left, y - tile.window.top);
  if (label == plane) return Texel::kVisible;
  const float u = x + 0.5F;
  const float v = y + 0.5F;
  return tile.planes[plane].at(u, v) < tile.planes[label].at(u, v) ? Texel::kHidden : Texel::kNone;
}

std::vector<TileLayer> layers_of(const PlannedTile& tile) {
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
        const Texel texel = texel_at(tile, static_cast<int>(plane), x, y);
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
    layers.push_back({&tile,
                      static_cast<int>(plane),
                      {left, top, right - left, bottom - top},
                      hidden > 0,
                      static_cast<float>(sum / static_cast<double>(std::max<int64_t>(hidden, 1)))});
  }
  return layers;
}

// dot(n, ray) is the inverse depth.
math::Vec3<float> plane_of(const DisparityPlane& plane, const core::Camera& camera,
                           double baseline) {
  const double scale = camera.fx * baseline;
  return {static_cast<float>(plane.slope_x * camera.fx / scale),
          static_cast<float>(plane.slope_y * camera.fy / scale),
          static_cast<float>(
              plane.at(static_cast<float>(camera.cx), static_cast<float>(camera.cy)) / scale)};
}

void check(const DepthPhoto& photo) {
  const core::Image8& rgb = photo.photo;
  const core::ImageF& depth = photo.inverse_depth;
  const auto size = [](int width, int height) {
    return std::to_string(width) + "x" + std::to_string(height);
  };
  if (rgb.channels != 3 || rgb.empty()) {
    throw core::Error("A multiplane image is made of a photo with three channels.");
  }
  if (depth.width != rgb.width || depth.height != rgb.height || depth.channels != 1) {
    throw core::Error("The photo is " + size(rgb.width, rgb.height) + ", its depth map " +
                      size(depth.width, depth.height) + "; they must be of one size.");
  }
  if (!photo.weight.empty() &&
      (photo.weight.width != rgb.width || photo.weight.height != rgb.height)) {
    throw core::Error("The weights of a depth map must be of its size, " +
                      size(depth.width, depth.height) + ".");
  }
  const core::Camera& camera = photo.camera.camera;
  if (!core::is_pinhole(camera) || camera.width != rgb.width || camera.height != rgb.height ||
      !(camera.fx > 0) || !(camera.fy > 0)) {
    throw core::Error(
        "The reference camera of a multiplane image must be a pinhole of the photo's "
        "size; undistort the photo first.");
  }
}

}  // namespace

double usual_shift_px(const core::Camera& camera) {
  return kUsualMotion * camera.width;
}

double planned_baseline(const DepthPhoto& photo, const PlanSettings& settings) {
  if (settings.baseline > 0) return settings.baseline;
  std::vector<float> known;
  for (const float inverse_depth : photo.inverse_depth.data) {
    if (std::isfinite(inverse_depth) && inverse_depth > 0) known.push_back(inverse_depth);
  }
  if (known.empty()) return 1;
  const auto outliers = static_cast<int64_t>(kOutlierShare * static_cast<double>(known.size()));
  const auto nth = [&](int64_t n) -> double {
    std::nth_element(known.begin(), known.begin() + n, known.end());
    return known[n];
  };
  const double least = nth(outliers);
  const double greatest = nth(static_cast<int64_t>(known.size()) - 1 - outliers);
  const double pixels = usual_shift_px(photo.camera.camera);
  // A flat scene: as if it reached from there to infinity.
  const double range = greatest > least ? greatest - least : greatest;
  return range > 0 ? pixels / (photo.camera.camera.fx * range) : 1;
}

core::MultiplaneImage build_multiplane(const DepthPhoto& photo, const PlanSettings& settings,
                                       core::ThreadPool& pool) {
  check(photo);
  const double baseline = planned_baseline(photo, settings);
  const DisparityMap map = make_disparity_map(photo, baseline, pool);
  const std::vector<PlannedTile> tiles = find_planner(settings.planner).plan(map, settings, pool);

  std::vector<std::vector<TileLayer>> of_tiles(tiles.size());
  pool.parallel_for(static_cast<int64_t>(tiles.size()), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) of_tiles[i] = layers_of(tiles[i]);
  });
  std::vector<TileLayer> layers;
  core::MultiplaneImage image;
  for (const std::vector<TileLayer>& of_tile : of_tiles) {
    for (const TileLayer& layer : of_tile) {
      layers.push_back(layer);
      image.layers.push_back(
          {plane_of(layer.tile->planes[layer.plane], photo.camera.camera, baseline), layer.window});
    }
  }
  image.camera = photo.camera;
  image.metric = photo.metric;
  for (const PageSize& size : pack_into_pages(image.layers)) {
    image.pages.emplace_back(size.width, size.height, 4).data.fill(0);
  }

  HiddenColors hidden(photo.photo, map, pool);
  std::vector<std::vector<size_t>> of_steps(hidden.step_count());
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].hides) of_steps[hidden.step_of(layers[i].hidden_disparity)].push_back(i);
  }
  const auto write = [&](size_t i, Texel wanted, const auto& color) {
    const core::MultiplaneLayer& layer = image.layers[i];
    core::Image8& page = image.pages[layer.page];
    for (int y = layer.window.top; y < layer.window.bottom(); ++y) {
      for (int x = layer.window.left; x < layer.window.right(); ++x) {
        if (texel_at(*layers[i].tile, layers[i].plane, x, y) != wanted) continue;
        uint8_t* texel = &page.at(layer.x + x - layer.window.left, layer.y + y - layer.window.top);
        color(x, y, texel);
        texel[3] = 255;
      }
    }
  };
  pool.parallel_for(static_cast<int64_t>(layers.size()), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      write(i, Texel::kVisible,
            [&](int x, int y, uint8_t* texel) { std::copy_n(&photo.photo.at(x, y), 3, texel); });
    }
  });
  for (size_t step = 0; step < of_steps.size(); ++step) {
    const std::vector<size_t>& of_step = of_steps[step];
    if (of_step.empty()) continue;
    hidden.look_behind(static_cast<int>(step));
    pool.parallel_for(static_cast<int64_t>(of_step.size()), 1,
                      [&](int64_t begin, int64_t end, int) {
                        for (int64_t i = begin; i < end; ++i) {
                          write(of_step[i], Texel::kHidden,
                                [&](int x, int y, uint8_t* texel) { hidden.color(x, y, texel); });
                        }
                      });
  }
  return image;
}

}  // namespace tessera::models
