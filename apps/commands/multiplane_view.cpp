// SPDX-License-Identifier: MIT
#include "apps/commands/multiplane_view.h"

#include <utility>

#include "models/multiplane/screen_fill.h"

namespace tessera::apps {

MultiplanePainter::MultiplanePainter(const core::MultiplaneImage& image, core::ThreadPool& pool)
    : image_(image), pool_(pool), renderer_(render::make_multiplane_renderer("cpu", pool)) {}

const core::ImageF& MultiplanePainter::paint(const core::PosedCamera& camera) {
  render::MultiplaneOptions options;
  options.disparity = true;
  renderer_->forward(image_, camera, options, output_);
  models::fill_screen(output_.color, output_.alpha, output_.disparity, pool_);
  return output_.color;
}

core::ImageF MultiplanePainter::take() {
  core::ImageF color = std::move(output_.color);
  output_ = {};
  return color;
}

core::ImageF MultiplanePainter::depth() const {
  core::ImageF depth(output_.alpha.width, output_.alpha.height, 1);
  for (int64_t i = 0; i < depth.pixel_count(); ++i) {
    const float disparity = output_.disparity.data[i];
    depth.data[i] = disparity > 0 ? output_.alpha.data[i] / disparity : 0;
  }
  return depth;
}

}  // namespace tessera::apps
