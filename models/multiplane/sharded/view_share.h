// One rank's part of drawing many views of a multiplane image: the rows of texels that its strips
// of any view show, and the strips. With one rank it is all of the drawing.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/multiplane_image.h"
#include "core/pixel_window.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::models {

class ViewShare {
 public:
  // Collective. Image and cameras are rank 0's, what others give is not looked at. The image must
  // outlive it.
  ViewShare(const core::MultiplaneImage& image, std::span<const core::PosedCamera> cameras,
            distributed::Communicator& ranks, core::ThreadPool& pool);

  int view_count() const { return static_cast<int>(cameras_.size()); }

  // Collective. The view of that number before black, with disparity, on the rank `root`; elsewhere
  // `output` is only room to draw in. The same bits for any number of ranks.
  void draw(int view, int root, render::MultiplaneOutput& output);

 private:
  // Puts the windows of all ranks together on `root`.
  void gather(const std::vector<core::PixelWindow>& windows, const core::Camera& camera, int root,
              int channels, core::ImageF& picture);

  distributed::Communicator& ranks_;
  std::vector<core::PosedCamera> cameras_;
  std::vector<std::vector<core::PixelWindow>> windows_;  // by view and rank; some are empty
  core::MultiplaneImage part_;                           // what this rank's strips show
  const core::MultiplaneImage* drawn_;                   // the whole image on rank 0, else part_
  std::unique_ptr<render::MultiplaneRenderer> renderer_;
};

}  // namespace tessera::models
