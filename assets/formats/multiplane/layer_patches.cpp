// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/layer_patches.h"

#include <algorithm>
#include <cmath>

namespace tessera::assets {
namespace {

constexpr double kHorizon = 1e-3;  // of a layer's largest inverse depth; what is farther is cut off

bool is_transparent(const core::Image8& page, int x, int y) {
  return x >= 0 && y >= 0 && x < page.width && y < page.height && page.at(x, y, 3) == 0;
}

// Whether the texels around the layer's are there and transparent.
bool has_clear_border(const core::MultiplaneLayer& layer, const core::Image8& page) {
  const int right = layer.x + layer.window.width;
  const int bottom = layer.y + layer.window.height;
  for (int x = layer.x - 1; x <= right; ++x) {
    if (!is_transparent(page, x, layer.y - 1) || !is_transparent(page, x, bottom)) return false;
  }
  for (int y = layer.y; y < bottom; ++y) {
    if (!is_transparent(page, layer.x - 1, y) || !is_transparent(page, right, y)) return false;
  }
  return true;
}

double inverse_depth_at(const core::MultiplaneLayer& layer, const core::Camera& camera, double x,
                        double y) {
  return layer.plane.x * (x - camera.cx) / camera.fx + layer.plane.y * (y - camera.cy) / camera.fy +
         layer.plane.z;
}

// A corner in the reference picture, with the inverse depth there.
struct Pixel {
  double x, y, inverse_depth;
};

// What is left where inverse depths are at least `least`.
std::vector<Pixel> cut(const std::vector<Pixel>& polygon, double least) {
  std::vector<Pixel> rest;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Pixel& a = polygon[i];
    const Pixel& b = polygon[(i + 1) % polygon.size()];
    if (a.inverse_depth >= least) rest.push_back(a);
    if ((a.inverse_depth >= least) != (b.inverse_depth >= least)) {
      const double t = (least - a.inverse_depth) / (b.inverse_depth - a.inverse_depth);
      rest.push_back({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), least});
    }
  }
  return rest;
}

// How many cells a line of `length` texels needs whose ends have these inverse depths: the middle
// of a cell is off by a quarter of its length times the change of inverse depth over it, which
// counts most in the farthest.
int cells_along(double length, double first, double last, double largest_error) {
  constexpr double kMostCells = 64;
  const double change = std::abs(last - first) / std::min(first, last);
  return static_cast<int>(
      std::clamp(std::ceil(std::sqrt(0.25 * length * change / largest_error)), 1.0, kMostCells));
}

// Cells of one layer's window.
class PatchMaker {
 public:
  PatchMaker(const core::MultiplaneLayer& layer, const core::Camera& camera, double beyond)
      : layer_(layer),
        camera_(camera),
        left_(layer.window.left - beyond),
        top_(layer.window.top - beyond),
        width_(layer.window.width + 2 * beyond),
        height_(layer.window.height + 2 * beyond) {
    for (const double x : {0.0, 1.0}) {
      for (const double y : {0.0, 1.0}) nearest_ = std::max(nearest_, at(x, y).inverse_depth);
    }
  }

  double middle_inverse_depth() const { return at(0.5, 0.5).inverse_depth; }
  bool is_visible() const { return width_ > 0 && height_ > 0 && nearest_ > 0; }

  void fill(LayerPatch& patch, double largest_error) const {
    const double least = kHorizon * nearest_;
    const auto held = [&](double x, double y) { return std::max(at(x, y).inverse_depth, least); };
    const auto cells = [&](double length, double a, double b, double c, double d) {
      return std::max(cells_along(length, a, b, largest_error),
                      cells_along(length, c, d, largest_error));
    };
    const int columns = cells(width_, held(0, 0), held(1, 0), held(0, 1), held(1, 1));
    const int rows = cells(height_, held(0, 0), held(0, 1), held(1, 0), held(1, 1));
    for (int i = 0; i <= rows; ++i) {
      for (int j = 0; j <= columns; ++j) {
        Pixel pixel = at(static_cast<double>(j) / columns, static_cast<double>(i) / rows);
        pixel.inverse_depth = std::max(pixel.inverse_depth, least);  // one beyond is not used
        patch.corners.push_back(corner(pixel));
      }
    }
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) add_cell(patch, i, j, rows, columns, least);
    }
  }

 private:
  // A pixel by its place in the window, 0..1.
  Pixel at(double x, double y) const {
    const double u = left_ + x * width_, v = top_ + y * height_;
    return {u, v, inverse_depth_at(layer_, camera_, u, v)};
  }

  LayerCorner corner(const Pixel& pixel) const {
    const double depth = 1 / pixel.inverse_depth;
    return {{depth * (pixel.x - camera_.cx) / camera_.fx,
             depth * (pixel.y - camera_.cy) / camera_.fy, depth},
            pixel.x - layer_.window.left + layer_.x,
            pixel.y - layer_.window.top + layer_.y};
  }

  void add_cell(LayerPatch& patch, int i, int j, int rows, int columns, double least) const {
    const auto pixel = [&](int k, int l) {
      return at(static_cast<double>(l) / columns, static_cast<double>(k) / rows);
    };
    const std::vector<Pixel> cell = {pixel(i, j), pixel(i + 1, j), pixel(i + 1, j + 1),
                                     pixel(i, j + 1)};
    if (std::all_of(cell.begin(), cell.end(),
                    [&](const Pixel& p) { return p.inverse_depth >= least; })) {
      const auto index = [&](int k, int l) { return static_cast<uint32_t>(k * (columns + 1) + l); };
      patch.triangles.push_back({index(i, j), index(i + 1, j), index(i + 1, j + 1)});
      patch.triangles.push_back({index(i, j), index(i + 1, j + 1), index(i, j + 1)});
      return;
    }
    const auto first = static_cast<uint32_t>(patch.corners.size());
    const std::vector<Pixel> rest = cut(cell, least);
    for (const Pixel& p : rest) patch.corners.push_back(corner(p));
    for (uint32_t k = 2; k < rest.size(); ++k) {
      patch.triangles.push_back({first, first + k - 1, first + k});
    }
  }

  const core::MultiplaneLayer& layer_;
  const core::Camera& camera_;
  double left_, top_, width_, height_;
  double nearest_ = 0;  // of the inverse depths at the corners
};

}  // namespace

std::vector<LayerPatch> layer_patches(const core::MultiplaneImage& image, double largest_error) {
  std::vector<LayerPatch> patches;
  for (const core::MultiplaneLayer& layer : image.layers) {
    if (layer.window.empty()) continue;
    const double beyond = has_clear_border(layer, image.pages[layer.page]) ? 0.5 : -0.5;
    const PatchMaker maker(layer, image.camera.camera, beyond);
    if (!maker.is_visible()) continue;
    LayerPatch& patch = patches.emplace_back();
    patch.page = layer.page;
    patch.inverse_depth = maker.middle_inverse_depth();
    maker.fill(patch, largest_error);
  }
  std::stable_sort(patches.begin(), patches.end(), [](const LayerPatch& a, const LayerPatch& b) {
    return a.inverse_depth < b.inverse_depth;
  });
  return patches;
}

InverseDepthRange inverse_depth_range(const std::vector<LayerPatch>& patches) {
  InverseDepthRange range{std::numeric_limits<double>::max(), 0};
  for (const LayerPatch& patch : patches) {
    for (const LayerCorner& corner : patch.corners) {
      range.farthest = std::min(range.farthest, 1 / corner.in_camera.z);
      range.nearest = std::max(range.nearest, 1 / corner.in_camera.z);
    }
  }
  if (range.nearest == 0) range = {1, 1};
  return range;
}

}  // namespace tessera::assets
