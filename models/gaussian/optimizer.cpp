// SPDX-License-Identifier: MIT
#include "models/gaussian/optimizer.h"

#include <algorithm>

#include "core/adam.h"

namespace tessera::models {

Optimizer::Optimizer(const TrainSettings& settings, core::ThreadPool& pool)
    : settings_(settings), constants_(adam_constants(settings)), pool_(pool) {}

void Optimizer::begin_step(int64_t size) {
  if (!settings_.visible_adam) return;
  visible_.resize(size);
  visible_.fill(0);
}

void Optimizer::mark_visible(std::span<const float> radii) {
  if (!settings_.visible_adam) return;
  for (size_t i = 0; i < radii.size(); ++i) visible_[i] |= radii[i] > 0 ? 1 : 0;
}

void Optimizer::step(GaussianState& state, core::Planes& gradient, const LearningRates& rates,
                     int sh_degree, int64_t seen, int batch) {
  const auto set = [&](int begin, int end, float rate) {
    std::fill(rates_.begin() + begin, rates_.begin() + end,
              rate * static_cast<float>(constants_.rate_factor));
  };
  const int planes = core::plane_count(sh_degree);
  set(core::kMeanPlane, core::kLogScalePlane, rates.position);
  set(core::kLogScalePlane, core::kQuaternionPlane, rates.scale);
  set(core::kQuaternionPlane, core::kOpacityPlane, rates.rotation);
  set(core::kOpacityPlane, core::kShPlane, rates.opacity);
  set(core::kShPlane, core::kShPlane + 3, rates.sh);
  set(core::kShPlane + 3, planes, rates.sh_rest);

  core::AdamStep adam;
  adam.beta1 = constants_.beta1;
  adam.beta2 = constants_.beta2;
  adam.epsilon = constants_.epsilon;
  adam.step = seen / settings_.batch + 1;
  adam.gradient_factor = 1.0 / batch;
  adam.rates = std::span(rates_.data(), planes);
  if (settings_.visible_adam) adam.visible = std::span(visible_.data(), visible_.size());
  core::adam_update(adam, state.cloud.parameters, gradient, state.first_moments,
                    state.second_moments, pool_);
}

}  // namespace tessera::models
