// One lesson of a refiner: a warped photo made into a multiplane image, of which the network sees
// patches; what it makes of them is drawn and compared with the photo.
// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/ssim.h"
#include "core/thread_pool.h"
#include "models/multiplane/refiner/layer_patches.h"
#include "models/multiplane/refiner/warped_photo.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::models {

class Lesson {
 public:
  // `example` has pictures with pixels.
  Lesson(WarpedPhoto example, float ssim_weight, core::ThreadPool& pool);

  // L1 and D-SSIM of the view from the photo's place, and of the one from nearby, which is to stay.
  double plain_loss() const { return plain_loss_; }

  // Patches on which the loss depends, those first on which it depends most.
  int64_t patch_count() const { return static_cast<int64_t>(patches_.size()); }
  void keep_first(int64_t count);
  // What the network takes of patches from `begin` on.
  at::Tensor seen(int64_t begin, int64_t count) const;

  // `output`: the network's for all patches. Sets `gradient`, if not null, which is of its shape.
  double refined_loss(const at::Tensor& output, at::Tensor* gradient);

 private:
  struct RefinedTexel;
  template <class Visit>
  void for_each_texel(std::vector<core::ImageF>& pages, const Visit& visit) const;
  double loss(const core::MultiplaneImageF& floats, render::MultiplaneGradient* gradient);
  void sort_by_weight(const render::MultiplaneGradient& gradient);

  WarpedPhoto example_;
  float ssim_weight_;
  core::ThreadPool& pool_;
  core::MultiplaneImage image_;
  ReferenceView view_;
  std::vector<LayerPatch> patches_;
  double plain_loss_ = 0;
  std::unique_ptr<render::MultiplaneRenderer> renderer_;
  core::PhotoComparer comparer_;
  render::MultiplaneOutput drawn_;
  render::MultiplaneOutputGradient drawn_gradient_;
};

}  // namespace tessera::models
