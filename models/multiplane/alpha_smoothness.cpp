// SPDX-License-Identifier: MIT
#include "models/multiplane/alpha_smoothness.h"

namespace tessera::models {
namespace {

float sign(float value) {
  return value > 0 ? 1.0F : value < 0 ? -1.0F : 0.0F;
}

void add_row(const core::ImageF& page, const core::MultiplaneLayer& layer, int row, float weight,
             core::ImageF& gradient) {
  const int y = layer.y + row;
  const int end = layer.x + layer.window.width;
  for (int x = layer.x; x < end; ++x) {
    const float here = page.at(x, y, 3);
    float steps = 0;
    if (row > 0) steps += sign(here - page.at(x, y - 1, 3));
    if (x > layer.x) steps += sign(here - page.at(x - 1, y, 3));
    if (x + 1 < end) steps += sign(here - page.at(x + 1, y, 3));
    if (row + 1 < layer.window.height) steps += sign(here - page.at(x, y + 1, 3));
    gradient.at(x, y, 3) += weight * steps;
  }
}

}  // namespace

void add_alpha_smoothness(const core::MultiplaneImageF& image, const RowRange& rows, float weight,
                          std::vector<core::ImageF>& gradient, core::ThreadPool& pool) {
  pool.parallel_for(
      static_cast<int64_t>(image.layers.size()), 1, [&](int64_t begin, int64_t end, int) {
        for (int64_t i = begin; i < end; ++i) {
          const core::MultiplaneLayer& layer = image.layers[i];
          const int first = rows.begin - layer.window.top;
          for (int row = first; row < first + rows.count(); ++row) {
            add_row(image.pages[layer.page], layer, row, weight, gradient[layer.page]);
          }
        }
      });
}

}  // namespace tessera::models
