// The trainer: photos and a start cloud in, a trained cloud out.
//
// Several ranks train one cloud together, each with the Gaussians that it owns; every rank has a
// Trainer and calls the same of its functions in the same order. One rank is the case of one.
// It calls the rasterizer's forward and backward, the fused loss and the fused optimizer itself; no
// autograd. What it gives is the same bit for bit for any number of threads, and a run that was
// resumed gives what an uninterrupted one gives.
// Kerbl et al., "3D Gaussian Splatting for Real-Time Radiance Field Rendering", 2023.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/gaussian_cloud.h"
#include "core/log.h"
#include "core/photo_source.h"
#include "core/thread_pool.h"
#include "core/trace.h"
#include "distributed/communicator.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/view_pass.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::models {

struct TrainProgress {
  int64_t images_seen = 0;  // the step count that users see
  int64_t iterations = 0;   // images_seen at the end of the run
  int64_t gaussians = 0;    // of all ranks
  double loss = 0;          // of the last step
  double seconds = 0;       // spent training in this process
};

// Something to be done during a run, after the step at which `images_seen` reaches one of `at` or
// passes a multiple of `every` (0: never): saving, evaluating, showing.
struct TrainEvent {
  std::vector<int64_t> at;
  int64_t every = 0;
  std::function<void()> call;
};

// What is wished of a run from outside while it goes on. All ranks follow the greatest of each.
struct TrainWishes {
  bool stop = false;    // no further step; ends after a checkpoint
  bool pause = false;   // no further step now
  int64_t request = 0;  // anything that is to be done on all ranks at one step; 0: nothing
};

struct TrainHooks {
  std::function<void(const TrainProgress&)> progress;  // after each step; cheap
  // Asked after each step, and again and again while the run pauses: then it has to take its time.
  std::function<TrainWishes()> wishes;
  std::function<void(int64_t)> requested;  // with the request, on all ranks
  std::vector<TrainEvent> events;
  // Where checkpoints go (folders checkpoint_N, the last two are kept), at each multiple of
  // settings.checkpoint_every, when stopped and at the end. Empty: none.
  std::filesystem::path checkpoints;
  core::Trace* trace = nullptr;  // where steps, their stages and checkpoints are recorded
};

enum class TrainEnd { kFinished, kStopped };

class Trainer {
 public:
  // A run from the beginning. `views` are those of `photos` to train on; `start` is this rank's
  // part of where it begins (see model.h), such as an equal share of it. `photos`, `ranks`, `pool`
  // and `log` must outlive it. Throws core::UsageError for settings that cannot be meant,
  // core::Error for an empty start.
  Trainer(const TrainSettings& settings, core::GaussianCloud start, core::PhotoSource& photos,
          std::vector<int> views, distributed::Communicator& ranks, core::ThreadPool& pool,
          core::Log& log);
  // A run that goes on where `checkpoint` (a folder that a trainer wrote) stopped, with the
  // settings saved there. `iterations` > 0 replaces the total: schedules follow the new one.
  // Throws core::IoError for a checkpoint that is not whole, core::UsageError if its photos are not
  // `views` of `photos`.
  Trainer(const std::filesystem::path& checkpoint, int64_t iterations, core::PhotoSource& photos,
          std::vector<int> views, distributed::Communicator& ranks, core::ThreadPool& pool,
          core::Log& log);
  ~Trainer();

  // Trains up to settings().iterations or until asked to stop; either way a checkpoint is written
  // if hooks ask for any. Throws core::Error naming step and photo if the loss is not finite.
  TrainEnd run(const TrainHooks& hooks);

  const TrainSettings& settings() const;
  // What this rank owns; changes with each step, whole between steps.
  const core::GaussianCloud& cloud() const;
  int64_t gaussian_count() const;    // of all ranks
  SplatCounts splat_counts() const;  // of this rank, since the process's start
  int64_t images_seen() const;
  double scene_extent() const;
  int64_t dropped_gaussians() const;  // those that became non-finite, so far

  // As evaluation and viewers draw it: SH degree as trained so far, the settings' background.
  render::RasterizeOptions render_options() const;
  // The camera of a view, refined if poses are.
  core::PosedCamera camera(int view) const;

  // Writes folder/checkpoint_N and removes all but the last two there. Returns its path.
  std::filesystem::path save_checkpoint(const std::filesystem::path& folder);

  // Milliseconds by stage since the start of the process's run, and of all steps together: the
  // difference is what no stage names.
  struct Profile {
    std::vector<render::StageTime> stages;
    double total_milliseconds = 0;
    int64_t steps = 0;
  };
  Profile profile() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::models
