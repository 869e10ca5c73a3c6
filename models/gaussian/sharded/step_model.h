// How long a training step on many ranks takes and what it needs of memory: a model, not a
// measurement. A replay counts the work (traffic_replay.h), its rates are measured on the machine
// at hand, and messages cost latency and bandwidth (the alpha-beta model).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/sharded/traffic_model.h"
#include "models/gaussian/sharded/traffic_replay.h"

namespace tessera::models {

// Seconds of one core for each of
struct WorkRates {
  double owned = 0;      // a Gaussian and view: to see that it is not visible
  double visible = 0;    // a Gaussian that a view shows: projected, and its gradient back
  double drawn = 0;      // a splat of a window: sorted
  double tile_pair = 0;  // a splat and a tile of its box: binned, and its gradients summed
  double evaluated = 0;  // a splat and a pixel: blended, and its gradient
  double pixel = 0;      // the loss
  double updated = 0;    // a Gaussian and step: the optimizer
};

// Draws these views of the cloud, forward and backward, on one core, and steps the optimizer over a
// part of it, some times over. `replay` is of the same cloud and cameras.
WorkRates measured_rates(const core::GaussianCloud& cloud,
                         std::span<const core::PosedCamera> cameras, std::span<const int> views,
                         const TrainSettings& settings, TrafficReplay& replay);

struct StepModel {
  WorkRates rates;
  double cores = 1;             // of a rank, as if so many were so much faster
  double bytes_per_second = 0;  // of a rank, out and in at once
  double latency_s = 0;         // of a message
  bool overlap = true;          // messages of a round travel while another one is drawn
  int planes = 0;               // of a Gaussian
};

struct StepEstimate {
  int64_t bytes_sent = 0;          // by all ranks
  int64_t busiest_bytes_sent = 0;  // by the rank that sends most
  int64_t busiest_messages = 0;    // sent by one rank
  int64_t routed = 0;              // splats that windows get
  int64_t moved = 0;               // of these, from another rank
  double compute_s = 0;            // of the slowest rank, round by round
  double exchange_s = 0;           // of the busiest rank
  double step_s = 0;               // compute, and the exchange that it does not hide
  int64_t state_bytes = 0;         // parameters, gradient, two moments: of the rank that owns most
  int64_t message_bytes = 0;       // splats and gradients that are under way or being drawn
  int64_t tile_bytes = 0;          // lists of splats by tile
};

// `traffic`: of the step.
StepEstimate estimate_step(const StepModel& model, const StepCounts& step,
                           std::span<const TagTraffic> traffic);

// Of one rank that does a step over views of this work: nothing is exchanged.
double seconds_alone(const StepModel& model, std::span<const ViewWork> views, int64_t gaussians);

}  // namespace tessera::models
