// The frames of a film over a multiplane image, drawn by several ranks together.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/multiplane/sharded/view_share.h"

namespace tessera::apps {

class SharedFilm {
 public:
  // Collective. Image and cameras, one a frame, are rank 0's. All must outlive it.
  SharedFilm(const core::MultiplaneImage& image, std::span<const core::PosedCamera> cameras,
             distributed::Communicator& ranks, core::ThreadPool& pool);

  bool stopped() const { return stopped_; }  // as a rank wished
  bool ended() const { return stopped_ || next_ == share_.view_count(); }

  // Collective. As many of the next frames as there are ranks, on rank 0: RGB, sRGB, filled from
  // the far side where no layer is. None once a rank gives `stop`.
  std::vector<core::Image8> next(bool stop);

 private:
  distributed::Communicator& ranks_;
  core::ThreadPool& pool_;
  models::ViewShare share_;
  int next_ = 0;
  bool stopped_ = false;
};

}  // namespace tessera::apps
