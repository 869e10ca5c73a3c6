// Pictures of a multiplane image as users see them: drawn, and filled where no layer is.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/camera.h"
#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/thread_pool.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::apps {

class MultiplanePainter {
 public:
  // Both must outlive it.
  MultiplanePainter(const core::MultiplaneImage& image, core::ThreadPool& pool);

  // RGB, sRGB 0..1; the same picture object each time. Gaps are filled from the far side.
  const core::ImageF& paint(const core::PosedCamera& camera);
  // The picture painted last, of which nothing is kept.
  core::ImageF take();
  // Expected depth along the camera's axis of the view painted last; 0 where no layer is.
  core::ImageF depth() const;

 private:
  const core::MultiplaneImage& image_;
  core::ThreadPool& pool_;
  std::unique_ptr<render::MultiplaneRenderer> renderer_;
  render::MultiplaneOutput output_;
};

}  // namespace tessera::apps
