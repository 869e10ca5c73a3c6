// When things happen in a run and at which rates: functions of the photos seen, so that a batch of
// B photos advances everything by B.
//
// Runs shorter than the standard 30,000 squeeze the position rate and the time of growth; intervals
// stay. The position rate then ends higher than the standard's 1 % of its start, up to 10 %: a
// short run has not settled when it ends (banana, 3,000 steps: +0.5 dB; lego_200, 7,000: +0.2 dB).
// A batch of B uses rate sqrt(B), betas to the power B and epsilon / sqrt(B) (Malladi et al., "On
// the SDEs and Scaling Rules for Adaptive Gradient Algorithms", 2022; Zhao et al., Grendel, 2024).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "models/gaussian/settings.h"

namespace tessera::models {

inline constexpr int64_t kStandardIterations = 30000;

struct LearningRates {
  float position = 0;  // scene extent included
  float scale = 0;
  float rotation = 0;
  float opacity = 0;
  float sh = 0;
  float sh_rest = 0;
};

struct AdamConstants {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-15;
  double rate_factor = 1;
};

// By the square-root rule for batches of `batch`; the identity at 1.
AdamConstants adam_constants(const TrainSettings& settings);

class Schedule {
 public:
  Schedule(const TrainSettings& settings, double scene_extent);

  // Rates of the step that begins when `seen` photos were seen; the batch's factor is not in them.
  LearningRates rates(int64_t seen) const;
  // Degree used in that step.
  int sh_degree(int64_t seen) const;

  // Of a step that goes from `before` to `after` photos seen:
  // statistics for densification are collected in it,
  bool collects(int64_t after) const;
  // Gaussians grow or are pruned at its end,
  bool densifies(int64_t before, int64_t after) const;
  // opacities are reset at its end,
  bool resets_opacity(int64_t before, int64_t after) const;
  // large Gaussians are pruned too (a reset came before).
  bool prunes_large(int64_t after) const;

  int64_t densify_from() const { return densify_from_; }
  int64_t densify_until() const { return densify_until_; }

 private:
  TrainSettings settings_;
  double extent_;
  double position_rate_final_;
  double sh_rest_divisor_;
  int64_t densify_from_;
  int64_t densify_until_;
};

// Whether a multiple of `interval` lies in (before, after].
constexpr bool crosses_multiple(int64_t before, int64_t after, int64_t interval) {
  return interval > 0 && after / interval > before / interval;
}

}  // namespace tessera::models
