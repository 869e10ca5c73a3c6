// What a training run would cost on other numbers of ranks: steps of it are replayed and timed by
// the model of step_model.h, beside those of the scheme with random owners and strips of tile rows
// (see traffic_replay.h).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/sharded/step_model.h"

namespace tessera::models {

struct PlanRequest {
  std::vector<int> ranks;
  int batch = 0;          // views a step; 0: one for each rank
  int64_t gaussians = 0;  // of the run; 0: those of the cloud
  TrainSettings settings;
  StepModel model;  // its rates and planes are set by plan_ranks
};

// Of a step, means over those that were replayed.
struct PlannedStep {
  StepEstimate step;
  double efficiency = 0;  // time alone / (ranks x time)
};

struct RankPlanRow {
  int ranks = 1;
  int batch = 1;
  int steps = 0;  // replayed
  Partition partition = Partition::kWholeViews;
  double alone_s = 0;  // the same step on one rank
  PlannedStep ours;
  std::optional<PlannedStep> rows;  // of the other scheme; nothing where it has too few tile rows
};

struct RankPlan {
  WorkRates rates;
  int64_t most_visible = 0;  // Gaussians of the cloud, in one of the views whose work was timed
  std::vector<RankPlanRow> rows;
};

// `progress` is told of replayed steps, done and all. Owners are as a run cuts them that has shown
// up to 256 of the views. Where the cloud has fewer Gaussians than the
// run, each stands for several, whose surfaces together are as large as its own.
RankPlan plan_ranks(const PlanRequest& request, core::GaussianCloud cloud,
                    std::span<const core::PosedCamera> cameras, core::ThreadPool& pool,
                    const std::function<void(int64_t, int64_t)>& progress);

}  // namespace tessera::models
