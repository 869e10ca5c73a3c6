// From several posed photos to a multiplane image: a plane sweep to start from, then gradient
// descent on texels through the renderer.
//
// Flynn et al., "DeepView: View Synthesis with Learned Gradient Descent", 2019, with a plain
// optimizer; Zhou et al., "Stereo Magnification", 2018.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>

#include "core/multiplane_image.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/multiplane/plane_sweep.h"
#include "models/multiplane/posed_photo.h"

namespace tessera::models {

struct FitSettings {
  int planes = 32;
  int steps = 60;            // each looks at every photo once
  float rate = 0.05F;        // of texels, falling to a tenth
  float ssim_weight = 0.2F;  // of the loss, beside L1
  float smoothness = 0.02F;  // weight of the total variation of alpha
  double nearest = 0;        // units along the reference's axis; 0: as photos agree
  double farthest = 0;
};

// The photo from which the others are seen best: that whose camera is nearest to all others.
int reference_photo(std::span<const PosedPhoto> photos);

// Called after each step; `loss` is the mean over photos. Returns whether to go on; one rank that
// does not ends the fit for all.
using FitProgress = std::function<bool(int step, double loss)>;

// Its reference is the camera of reference_photo(); its windows reach beyond that picture as far
// as other photos see, up to a third of it on each side. Collective: every rank has all photos and
// owns texels by rows (sharded/strips.h); the result is on rank 0, elsewhere without layers. The
// same bits for any number of threads and ranks. Throws core::Error for fewer than two photos, or
// as swept_range() does.
core::MultiplaneImage fit_multiplane(std::span<const PosedPhoto> photos,
                                     const FitSettings& settings, distributed::Communicator& ranks,
                                     core::ThreadPool& pool, const FitProgress& progress);

}  // namespace tessera::models
