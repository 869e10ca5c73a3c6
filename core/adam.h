// The Adam optimizer over planes of parameters, fused: one pass reads and writes each array once
// and leaves the gradient zero for the next step.
//
// Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, with the bias correction and
// the place of epsilon of PyTorch's. Bound by memory: 32 bytes move per parameter.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/gaussian_cloud.h"
#include "core/isa.h"
#include "core/thread_pool.h"

namespace tessera::core {

struct AdamStep {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-15;
  int64_t step = 1;            // counts from 1: for the bias correction
  double gradient_factor = 1;  // the gradient is multiplied by this first: 1/B for a sum of B
  // Learning rates of the first rates.size() planes. The others are left alone, which changes
  // nothing where their gradients and moments are zero (SH degrees not yet in use).
  std::span<const float> rates;
  // If not empty, one per Gaussian: where it is 0, parameters and moments stay as they are.
  std::span<const uint8_t> visible;
};

// Updates `parameters` and both moments; `gradient` becomes zero in the planes that have a rate.
// All four have the same shape. Throws core::Error if shapes do not fit. The result is the same bit
// for bit for any number of threads.
void adam_update(const AdamStep& step, Planes& parameters, Planes& gradient, Planes& first_moment,
                 Planes& second_moment, ThreadPool& pool, Isa isa = chosen_isa());

}  // namespace tessera::core
