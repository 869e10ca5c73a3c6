// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/full_planes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assets/formats/multiplane/straight_alpha.h"

namespace tessera::assets {
namespace {

double inverse_depth_at(const core::MultiplaneLayer& layer, const core::Camera& camera, int x,
                        int y) {
  return layer.plane.x * (x + 0.5 - camera.cx) / camera.fx +
         layer.plane.y * (y + 0.5 - camera.cy) / camera.fy + layer.plane.z;
}

const uint8_t* texel_at(const core::MultiplaneImage& image, const core::MultiplaneLayer& layer,
                        int x, int y) {
  return &image.pages[layer.page].at(layer.x + x - layer.window.left,
                                     layer.y + y - layer.window.top);
}

// For each pixel of a picture with its principal point in the middle and focal length `f` the pixel
// of one that has it at `principal`.
std::vector<int> sources(int size, double f, double focal_length, double principal) {
  std::vector<int> result(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) {
    result[i] = static_cast<int>(std::floor((i + 0.5 - 0.5 * size) / f * focal_length + principal));
  }
  return result;
}

// The smallest window with all texels in `within` that are not transparent.
core::PixelWindow opaque_window(const core::Image8& picture, const core::PixelWindow& within) {
  int left = within.right(), right = within.left, top = within.bottom(), bottom = within.top;
  for (int y = within.top; y < within.bottom(); ++y) {
    for (int x = within.left; x < within.right(); ++x) {
      if (picture.at(x, y, 3) == 0) continue;
      left = std::min(left, x);
      right = std::max(right, x + 1);
      top = std::min(top, y);
      bottom = std::max(bottom, y + 1);
    }
  }
  return {left, top, right - left, bottom - top};
}

}  // namespace

FullPlaneGrid full_plane_grid(const core::MultiplaneImage& image, int count) {
  FullPlaneGrid grid;
  grid.camera = image.camera;
  grid.count = count;
  grid.farthest = std::numeric_limits<double>::max();
  core::Camera& camera = grid.camera.camera;
  for (const core::MultiplaneLayer& layer : image.layers) {
    for (int y = layer.window.top; y < layer.window.bottom(); ++y) {
      for (int x = layer.window.left; x < layer.window.right(); ++x) {
        if (texel_at(image, layer, x, y)[3] == 0) continue;
        const double inverse_depth = inverse_depth_at(layer, camera, x, y);
        if (inverse_depth <= 0) continue;
        grid.farthest = std::min(grid.farthest, inverse_depth);
        grid.nearest = std::max(grid.nearest, inverse_depth);
      }
    }
  }
  if (grid.nearest == 0) grid.farthest = grid.nearest = 1;
  // Planes must stand apart, and those of a horizon would lie at all but infinite depth.
  grid.farthest = std::clamp(grid.farthest, 1e-4 * grid.nearest, 0.999 * grid.nearest);
  camera.model = core::CameraModel::kPinhole;
  camera.fx = camera.fy = std::sqrt(camera.fx * camera.fy);
  camera.cx = 0.5 * camera.width;
  camera.cy = 0.5 * camera.height;
  return grid;
}

BandDrawer::BandDrawer(const core::MultiplaneImage& image, const FullPlaneGrid& grid)
    : image_(image), grid_(grid) {
  const core::Camera& from = image.camera.camera;
  const core::Camera& to = grid.camera.camera;
  source_x_ = sources(to.width, to.fx, from.fx, from.cx);
  source_y_ = sources(to.height, to.fy, from.fy, from.cy);
}

void BandDrawer::draw_row(int y, int plane, std::vector<std::vector<Sample>>& samples,
                          core::Image8& target) const {
  const core::Camera& camera = image_.camera.camera;
  const double per_plane = (grid_.nearest - grid_.farthest) / (grid_.count - 1);
  for (std::vector<Sample>& pixel : samples) pixel.clear();
  const int v = source_y_[y];
  for (size_t i = 0; i < image_.layers.size(); ++i) {
    const core::MultiplaneLayer& layer = image_.layers[i];
    if (v < layer.window.top || v >= layer.window.bottom()) continue;
    const auto begin = std::lower_bound(source_x_.begin(), source_x_.end(), layer.window.left);
    const auto end = std::lower_bound(begin, source_x_.end(), layer.window.right());
    for (auto x = begin; x < end; ++x) {
      const double inverse_depth = inverse_depth_at(layer, camera, *x, v);
      if (inverse_depth <= 0) continue;
      const double step = std::round((inverse_depth - grid_.farthest) / per_plane);
      if (std::clamp(step, 0.0, grid_.count - 1.0) != plane) continue;
      samples[x - source_x_.begin()].push_back({inverse_depth, i, texel_at(image_, layer, *x, v)});
    }
  }
  for (int x = 0; x < target.width; ++x) {
    std::vector<Sample>& pixel = samples[x];
    std::sort(pixel.begin(), pixel.end(), [](const Sample& a, const Sample& b) {
      return a.inverse_depth != b.inverse_depth ? a.inverse_depth > b.inverse_depth
                                                : a.layer < b.layer;
    });
    double color[3] = {0, 0, 0};
    double transmittance = 1;
    for (const Sample& sample : pixel) {
      for (int c = 0; c < 3; ++c) color[c] += transmittance * sample.texel[c];
      transmittance *= 1 - sample.texel[3] / 255.0;
    }
    const double alpha = 1 - transmittance;
    uint8_t* texel = &target.at(x, y);
    for (int c = 0; c < 3; ++c) {
      const double value = alpha > 0 ? color[c] / alpha : 0;
      texel[c] = static_cast<uint8_t>(std::lround(std::min(value, 255.0)));
    }
    texel[3] = static_cast<uint8_t>(std::lround(255 * alpha));
  }
}

core::Image8 BandDrawer::draw(int plane) const {
  const core::Camera& camera = grid_.camera.camera;
  core::Image8 target(camera.width, camera.height, 4);
  std::vector<std::vector<Sample>> samples(static_cast<size_t>(camera.width));
  for (int y = 0; y < camera.height; ++y) draw_row(y, plane, samples, target);
  return target;
}

core::MultiplaneImage layers_of(const FullPlanes& planes) {
  constexpr int kLargestPart = core::kLargestPage - 2 * core::kLayerGutter;
  core::MultiplaneImage image;
  image.camera = planes.camera;
  const auto last = static_cast<double>(planes.straight.size()) - 1;
  for (size_t k = 0; k < planes.straight.size(); ++k) {
    const core::Image8& picture = planes.straight[k];
    const double t = last > 0 ? static_cast<double>(k) / last : 1;
    const auto inverse_depth =
        static_cast<float>(planes.farthest + t * (planes.nearest - planes.farthest));
    for (int top = 0; top < picture.height; top += kLargestPart) {
      for (int left = 0; left < picture.width; left += kLargestPart) {
        const core::PixelWindow part =
            intersection({left, top, kLargestPart, kLargestPart}, picture.window());
        const core::PixelWindow window = opaque_window(picture, part);
        if (window.empty()) continue;
        constexpr int kGutter = core::kLayerGutter;
        core::Image8 page(window.width + 2 * kGutter, window.height + 2 * kGutter, 4);
        page.data.fill(0);
        copy_pixels(picture, window.left, window.top, page, kGutter, kGutter, window.width,
                    window.height);
        image.layers.push_back({{0, 0, inverse_depth},
                                window,
                                static_cast<int>(image.pages.size()),
                                kGutter,
                                kGutter});
        image.pages.push_back(premultiplied_page(std::move(page)));
      }
    }
  }
  return image;
}

}  // namespace tessera::assets
