// Teaches a refiner on photos with depth, without any other view of their scenes.
//
// Each step moves a piece of a photo to a place nearby (warped_photo.h), makes a multiplane image
// of what is seen there, lets the network refine it and draws it from the photo's own place, where
// the photo is the truth: L1 and SSIM, through the renderer's gradients. So does the view from
// nearby, which is to stay.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/tensor_map.h"
#include "core/thread_pool.h"
#include "models/multiplane/refiner/warped_photo.h"

namespace tessera::models {

struct RefinerSettings {
  int steps = 2000;          // below 2^23
  float rate = 3e-4F;        // of Adam, falling to a twentieth
  float ssim_weight = 0.2F;  // of the loss, beside L1
  int side = 256;            // of pictures, pixels
  int patches = 24;          // that are refined in a step: those on which the loss depends most
  uint64_t seed = 0;
};

struct RefinerLoss {
  double refined = 0;
  double plain = 0;  // of the same views without the network
};

class RefinerTrainer {
 public:
  // Throws core::Error without photos, for photos below 64x64 pixels, or depth of another size.
  RefinerTrainer(std::vector<TrainingPhoto> photos, const RefinerSettings& settings,
                 core::ThreadPool& pool);
  ~RefinerTrainer();

  // The same for the same settings, photos and number of threads.
  RefinerLoss step();
  int steps_done() const;

  // The mean loss on pieces that are held out, which decides what best_weights() are: of every
  // eighth photo, none of which is learned from; of fewer photos, other pieces of the same.
  RefinerLoss check();

  // For refined_multiplane(): the mean of the parameters over the last steps, and the best of these
  // at any check, at first that of a network that changes nothing; so it is not worse than none on
  // what is held out.
  core::TensorMap weights() const;
  core::TensorMap best_weights() const;
  // All that further steps depend on. Throws core::Error for what is none.
  core::TensorMap state() const;
  void resume(const core::TensorMap& state);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::models
