// SPDX-License-Identifier: MIT
#include "core/adam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/adam_kernel.h"
#include "core/error.h"
#include "core/isa_kernels.h"

namespace tessera::core {

TESSERA_DECLARE_KERNEL(void adam_update(const AdamTask& task))

namespace {

constexpr int64_t kChunk = 8192;  // elements a thread takes at a time: 128 KB of four arrays

void check_shapes(const AdamStep& step, const Planes& parameters, const Planes& other) {
  if (other.size() != parameters.size() || other.plane_count() != parameters.plane_count()) {
    throw Error(fmt::format(
        "Adam needs parameters, gradient and moments of one shape, but got {} "
        "planes of {} beside {} of {}.",
        other.plane_count(), other.size(), parameters.plane_count(), parameters.size()));
  }
  if (static_cast<int>(step.rates.size()) > parameters.plane_count()) {
    throw Error(fmt::format("Adam was given {} learning rates for {} planes.", step.rates.size(),
                            parameters.plane_count()));
  }
  if (!step.visible.empty() && static_cast<int64_t>(step.visible.size()) != parameters.size()) {
    throw Error(fmt::format("Adam was told of {} Gaussians which are visible, but there are {}.",
                            step.visible.size(), parameters.size()));
  }
}

}  // namespace

void adam_update(const AdamStep& step, Planes& parameters, Planes& gradient, Planes& first_moment,
                 Planes& second_moment, ThreadPool& pool, Isa isa) {
  for (const Planes* other : {&gradient, &first_moment, &second_moment}) {
    check_shapes(step, parameters, *other);
  }
  const auto count = static_cast<double>(step.step);
  const double rate_correction = 1.0 / (1.0 - std::pow(step.beta1, count));
  AdamTask common;
  common.visible = step.visible.empty() ? nullptr : step.visible.data();
  common.gradient_factor = static_cast<float>(step.gradient_factor);
  common.one_minus_beta1 = static_cast<float>(1.0 - step.beta1);
  common.beta2 = static_cast<float>(step.beta2);
  common.one_minus_beta2 = static_cast<float>(1.0 - step.beta2);
  common.root_correction = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(step.beta2, count)));
  common.epsilon = static_cast<float>(step.epsilon);

  const auto update = TESSERA_CHOOSE_KERNEL(isa, adam_update);
  const int64_t chunks = (parameters.size() + kChunk - 1) / kChunk;
  const auto planes = static_cast<int64_t>(step.rates.size());
  pool.parallel_for(planes * chunks, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t item = begin; item < end; ++item) {
      const int plane = static_cast<int>(item / chunks);
      AdamTask task = common;
      task.parameter = parameters.plane(plane);
      task.gradient = gradient.plane(plane);
      task.first_moment = first_moment.plane(plane);
      task.second_moment = second_moment.plane(plane);
      task.begin = item % chunks * kChunk;
      task.end = std::min(task.begin + kChunk, parameters.size());
      task.rate = static_cast<float>(step.rates[plane] * rate_correction);
      update(task);
    }
  });
}

}  // namespace tessera::core
