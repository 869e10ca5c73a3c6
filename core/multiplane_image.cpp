// SPDX-License-Identifier: MIT
#include "core/multiplane_image.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace tessera::core {

double inverse_depth_at_middle(const MultiplaneLayer& layer, const Camera& camera) {
  const double u = (layer.window.left + 0.5 * layer.window.width - camera.cx) / camera.fx;
  const double v = (layer.window.top + 0.5 * layer.window.height - camera.cy) / camera.fy;
  return layer.plane.x * u + layer.plane.y * v + layer.plane.z;
}

int64_t texel_count(std::span<const MultiplaneLayer> layers) {
  int64_t texels = 0;
  for (const MultiplaneLayer& layer : layers) {
    texels += int64_t{layer.window.width} * layer.window.height;
  }
  return texels;
}

void check_pinhole(const Camera& camera, std::string_view which) {
  if (camera.width < 1 || camera.height < 1) {
    throw Error(fmt::format("the {} camera's picture has {}x{} pixels", which, camera.width,
                            camera.height));
  }
  if (!(camera.fx > 0) || !(camera.fy > 0)) {
    throw Error(
        fmt::format("the {} camera has a focal length of {} x {}", which, camera.fx, camera.fy));
  }
  if (!is_pinhole(camera)) {
    throw Error(fmt::format(
        "the {} camera has lens distortion, but planes are drawn without; give a pinhole camera",
        which));
  }
}

template <class T>
void check_multiplane_image(const BasicMultiplaneImage<T>& image) {
  check_pinhole(image.camera.camera, "reference");
  for (size_t i = 0; i < image.pages.size(); ++i) {
    if (image.pages[i].channels != 4) {
      throw Error(
          fmt::format("page {} has {} channels, but texels are RGBA", i, image.pages[i].channels));
    }
  }
  for (size_t i = 0; i < image.layers.size(); ++i) {
    const MultiplaneLayer& layer = image.layers[i];
    if (!std::isfinite(layer.plane.x) || !std::isfinite(layer.plane.y) ||
        !std::isfinite(layer.plane.z)) {
      throw Error(fmt::format("the plane of layer {} is not finite", i));
    }
    if (layer.window.empty()) continue;
    const bool on_page = layer.page >= 0 && static_cast<size_t>(layer.page) < image.pages.size() &&
                         layer.x >= 0 && layer.y >= 0 &&
                         layer.window.width <= image.pages[layer.page].width - layer.x &&
                         layer.window.height <= image.pages[layer.page].height - layer.y;
    if (!on_page) {
      throw Error(fmt::format("layer {} ({}x{} texels at {}, {}) does not lie on page {}", i,
                              layer.window.width, layer.window.height, layer.x, layer.y,
                              layer.page));
    }
  }
}

template void check_multiplane_image(const MultiplaneImage& image);
template void check_multiplane_image(const MultiplaneImageF& image);

}  // namespace tessera::core
