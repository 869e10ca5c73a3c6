// A training that runs in another process, as the viewer sees it; the host implements it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/gaussian_cloud.h"

namespace tessera::viewer {

struct TrainingFigures {
  bool attached = false;
  std::string trouble;  // why not, a sentence; empty if nothing but silence is known
  std::string phase;    // "training", "paused", ...; empty before the first news
  bool paused = false;
  bool over = false;
  int64_t step = 0;   // photos seen
  int64_t steps = 0;  // in all
  int64_t gaussians = 0;
  double loss = 0;
  double seconds = 0;  // of training
  double steps_per_second = 0;
  uint64_t memory_bytes = 0;

  struct Rank {
    double worked_s = 0;
    double waited_s = 0;  // for messages of others
    int64_t bytes_sent = 0;
    int64_t gaussians = 0;
  };
  std::vector<Rank> ranks;  // empty of one rank

  struct Point {
    double step = 0, value = 0;
  };
  std::vector<Point> losses;
  std::vector<Point> psnrs;  // of held-out photos

  uint64_t number = 0;  // grows with everything new
};

// A scene as it was at a step.
struct TrainedScene {
  int64_t step = -1;
  std::shared_ptr<const core::GaussianScene> scene;
  std::vector<uint16_t> owners;  // rank of each Gaussian; empty if there is one rank
};

// All functions may be called from any thread.
class Training {
 public:
  virtual ~Training() = default;

  virtual TrainingFigures figures() const = 0;
  // The newest scene that came, if it is of a later step than `step`; else waits for one, no longer
  // than so. An empty one if there is none.
  virtual TrainedScene newer_scene(int64_t step, double seconds) = 0;
  // Pictures while training, for at most that share of its time; 0: none.
  virtual void watch(double share) = 0;
  // False if no training is attached to hear it.
  virtual bool pause() = 0;
  virtual bool resume() = 0;
  virtual bool save() = 0;
  virtual bool stop() = 0;
};

}  // namespace tessera::viewer
