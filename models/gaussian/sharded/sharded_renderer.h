// Pictures of a cloud that several ranks own, without any of them having it whole: each draws a
// block of the view, as if it had all Gaussians, so the picture has the bits of one rank's.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/image.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/gaussian/sharded/round.h"
#include "models/gaussian/sharded/splat_exchange.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_projection.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::models {

class ShardedRenderer {
 public:
  // `ranks` and `pool` must outlive it.
  ShardedRenderer(distributed::Communicator& ranks, core::ThreadPool& pool);

  // Collective: draws the view of `camera`, whose picture rank `at` gets; that of the others stays
  // as it is. `own`: this rank's Gaussians; all else is the same on all ranks.
  void draw(const core::GaussianCloud& own, const core::PosedCamera& camera,
            const render::RasterizeOptions& options, int at, core::ImageF& picture);

 private:
  void join_blocks(const Round& round, int at, core::ImageF& picture);

  distributed::Communicator& ranks_;
  SplatExchange exchange_;
  std::unique_ptr<render::CpuProjection> projection_;
  render::CpuBlending blending_;
  render::RenderOutput output_;  // this rank's block
};

}  // namespace tessera::models
