// Adam over all parameters with the rates of a step: which plane learns how fast, and what a batch
// changes.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/thread_pool.h"
#include "models/gaussian/schedule.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/state.h"

namespace tessera::models {

class Optimizer {
 public:
  Optimizer(const TrainSettings& settings, core::ThreadPool& pool);

  // Before the views of a step: none of `size` Gaussians was seen yet.
  void begin_step(int64_t size);
  // Those of positive radius are seen. Needed only with settings.visible_adam.
  void mark_visible(std::span<const float> radii);

  // Steps by the sum of the gradients of `batch` views, of SH up to `sh_degree`, and leaves zeros
  // in `gradient`. `seen`: photos seen before the step.
  void step(GaussianState& state, core::Planes& gradient, const LearningRates& rates, int sh_degree,
            int64_t seen, int batch);

 private:
  const TrainSettings settings_;
  const AdamConstants constants_;
  core::ThreadPool& pool_;
  core::Array<uint8_t> visible_;
  std::array<float, core::plane_count(core::kMaxShDegree)> rates_;
};

}  // namespace tessera::models
