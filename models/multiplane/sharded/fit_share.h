// One rank's part of fitting a multiplane image to photos: the texels of its rows, their optimizer,
// and the strips of each photo that it draws. With one rank it is all of the fit.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/multiplane_image.h"
#include "core/ssim.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/multiplane/posed_photo.h"
#include "models/multiplane/sharded/row_exchange.h"
#include "models/multiplane/sharded/strips.h"
#include "models/multiplane/texel_optimizer.h"
#include "models/windows/drawn_windows.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::models {

// A photo as ranks share it.
struct SharedPhoto {
  core::PosedCamera camera;
  core::PixelWindow picture;
  int64_t counted_pixels = 0;
  std::vector<Strip> strips;
  Round round;                   // of one view, this photo
  std::vector<RowRange> needed;  // by rank: rows that it draws with, and those beside its own
  // What this rank compares: its pixels and those around them that its loss needs.
  core::PixelWindow around;
  core::ComparedPart part;
  core::Image8 pixels;
  core::Image8 mask;
};

// `layers` are planes of one window each, which reaches over the rows `all`.
std::vector<SharedPhoto> shared_photos(std::span<const PosedPhoto> photos,
                                       const core::PosedCamera& reference,
                                       std::span<const core::MultiplaneLayer> layers,
                                       const RowRange& all, distributed::Communicator& ranks);

// The rows that a rank keeps: its own and those that it needs of others for some photo, at least
// `margin` beside its own.
RowRange held_rows(std::span<const SharedPhoto> photos, const RowRange& all, int margin, int rank,
                   int ranks);

// Sums over the photos of a step; of all ranks they are those of the whole photos.
struct FitLoss {
  double l1 = 0;
  double ssim = 0;
};

class FitShare {
 public:
  // `image` has the rows `held`, of which the own ones are right.
  FitShare(core::MultiplaneImageF image, const RowRange& all, const RowRange& held,
           distributed::Communicator& ranks, core::ThreadPool& pool);

  // Collective. Draws the photo's view over `background`, and moves texels by the gradient of its
  // loss and of `smoothness` times the total variation of alpha, per value of the photo.
  FitLoss step(const SharedPhoto& photo, math::Vec3<float> background, float ssim_weight,
               float smoothness, float rate);
  void clear_below(float alpha) { optimizer_.clear_below(alpha, image_, pool_); }

  // Collective. The whole image, on rank 0; elsewhere one without layers.
  core::MultiplaneImageF whole();

 private:
  FitLoss draw(const SharedPhoto& photo, math::Vec3<float> background, float ssim_weight);

  distributed::Communicator& ranks_;
  core::ThreadPool& pool_;
  core::MultiplaneImageF image_;
  RowRange all_, held_;
  RowExchange exchange_;
  TexelOptimizer optimizer_;
  std::unique_ptr<render::MultiplaneRenderer> renderer_;
  core::PhotoComparer comparer_;
  render::MultiplaneGradient of_strip_;  // what a strip gives, else zero
  std::vector<core::ImageF> gradient_;   // of a photo, of the own rows
  render::MultiplaneOutput output_;
  render::MultiplaneOutputGradient output_gradient_;
  core::ImageF color_gradient_;
};

}  // namespace tessera::models
