// Gradient descent on the texels of a multiplane image: Adam, for those texels alone that have a
// gradient, since a view touches few of them and a step on all would take longer than drawing.
//
// Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015. What is learned of a texel are
// the logits of its straight color and of its alpha: texels that are nearly clear change slowly, so
// that the many planes of a ray do not overshoot together.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/array.h"
#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/thread_pool.h"
#include "models/multiplane/sharded/strips.h"

namespace tessera::models {

class TexelOptimizer {
 public:
  // Of the texels in `rows` of each page.
  TexelOptimizer(const core::MultiplaneImageF& image, const RowRange& rows);

  // `gradient`, of the pages' premultiplied texels, becomes zero. Texels without a gradient, and
  // their moments, stay as they are; the bias correction counts a texel's own steps. The same for
  // any number of threads.
  void step(float rate, std::vector<core::ImageF>& gradient, core::MultiplaneImageF& image,
            core::ThreadPool& pool);

  // Texels of an alpha below this become clear, for good: what shines through many that are nearly
  // clear is seen, so steps should follow in which the others make up for it.
  void clear_below(float alpha, core::MultiplaneImageF& image, core::ThreadPool& pool);

 private:
  struct Page {
    int64_t first_texel = 0;                   // of the image's page
    core::Array<float> logits, first, second;  // [texel][4]
    core::Array<uint16_t> steps;               // [texel]
  };
  std::vector<Page> pages_;
};

}  // namespace tessera::models
