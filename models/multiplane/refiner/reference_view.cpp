// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/reference_view.h"

#include <algorithm>
#include <cmath>

namespace tessera::models {
namespace {

constexpr int kMixedReach = 2;
constexpr int kBesideReach = 1;

float inverse_depth_at(const core::MultiplaneLayer& layer, const core::Camera& camera, int x,
                       int y) {
  const double u = (x + 0.5 - camera.cx) / camera.fx;
  const double v = (y + 0.5 - camera.cy) / camera.fy;
  return static_cast<float>(layer.plane.x * u + layer.plane.y * v + layer.plane.z);
}

// The one that `better` prefers among those within `reach`, along rows, then columns.
template <class Better>
core::ImageF best_around(const core::ImageF& from, int reach, const Better& better) {
  core::ImageF rows(from.width, from.height, 1);
  core::ImageF all(from.width, from.height, 1);
  for (int y = 0; y < from.height; ++y) {
    for (int x = 0; x < from.width; ++x) {
      float best = from.at(x, y);
      for (int u = std::max(0, x - reach); u < std::min(from.width, x + reach + 1); ++u) {
        best = better(best, from.at(u, y));
      }
      rows.at(x, y) = best;
    }
  }
  for (int y = 0; y < from.height; ++y) {
    for (int x = 0; x < from.width; ++x) {
      float best = rows.at(x, y);
      for (int v = std::max(0, y - reach); v < std::min(from.height, y + reach + 1); ++v) {
        best = better(best, rows.at(x, v));
      }
      all.at(x, y) = best;
    }
  }
  return all;
}

}  // namespace

float ReferenceView::disparity_of(const core::MultiplaneLayer& layer, const core::Camera& camera,
                                  int x, int y) const {
  return (inverse_depth_at(layer, camera, x, y) - least_inverse_depth) / inverse_depth_range;
}

ReferenceView reference_view(const core::MultiplaneImage& image) {
  const core::Camera& camera = image.camera.camera;
  ReferenceView view;
  view.color.resize(camera.width, camera.height, 3);
  view.color.data.fill(0);
  view.disparity.resize(camera.width, camera.height, 1);
  view.disparity.data.fill(-INFINITY);
  for (const core::MultiplaneLayer& layer : image.layers) {
    const core::PixelWindow window = core::intersection(layer.window, view.color.window());
    const core::Image8& page = image.pages[layer.page];
    for (int y = window.top; y < window.bottom(); ++y) {
      for (int x = window.left; x < window.right(); ++x) {
        const uint8_t* texel =
            &page.at(layer.x + x - layer.window.left, layer.y + y - layer.window.top);
        if (texel[3] < kOpaqueTexel) continue;
        const float inverse_depth = inverse_depth_at(layer, camera, x, y);
        if (inverse_depth <= view.disparity.at(x, y)) continue;
        view.disparity.at(x, y) = inverse_depth;
        for (int c = 0; c < 3; ++c) {
          view.color.at(x, y, c) = static_cast<uint8_t>(std::min(255, 255 * texel[c] / texel[3]));
        }
      }
    }
  }
  float least = INFINITY;
  float greatest = -INFINITY;
  for (const float inverse_depth : view.disparity.data) {
    if (inverse_depth == -INFINITY) continue;
    least = std::min(least, inverse_depth);
    greatest = std::max(greatest, inverse_depth);
  }
  if (greatest > least) {
    view.least_inverse_depth = least;
    view.inverse_depth_range = greatest - least;
  }
  for (float& value : view.disparity.data) {
    value = value == -INFINITY ? ReferenceView::kNothing
                               : (value - view.least_inverse_depth) / view.inverse_depth_range;
  }
  view.most_around =
      best_around(view.disparity, kMixedReach, [](float a, float b) { return std::max(a, b); });
  view.least_beside =
      best_around(view.disparity, kBesideReach, [](float a, float b) { return std::min(a, b); });
  return view;
}

}  // namespace tessera::models
