// Growing and pruning of Gaussians: what every rule gives, and the table of rules.
//
// A rule sees each view's gradients and acts at the end of a step. What it remembers between steps
// stands in the state's statistics, so a checkpoint holds it. From the same statistics the same ids
// grow, split and go, however Gaussians are stored, on however many threads and ranks: each rank
// has its own Gaussians, and what depends on all of them is decided from what all ranks exchange.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/gaussian/schedule.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/state.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::models {

// What one view of a step tells.
struct ViewStatistics {
  const render::RasterizeGradient& gradient;
  std::span<const float> radii;
  int width = 0;
  int height = 0;
};

// The step that ends.
struct StepEnd {
  int64_t before = 0;  // photos seen
  int64_t after = 0;
  float position_rate = 0;  // as the optimizer used it, without the batch's factor
  double extent = 1;
};

struct DensifyReport {
  int64_t cloned = 0;
  int64_t split = 0;
  int64_t pruned = 0;
  int64_t relocated = 0;
  int64_t added = 0;

  // Whether Gaussians moved to other places in memory.
  bool rearranged() const { return cloned + split + pruned + relocated + added > 0; }
};

class Densifier {
 public:
  virtual ~Densifier() = default;

  virtual int statistics_planes() const = 0;
  // What the rule adds, once for each view of the step, to the gradient of all parameters before
  // the optimizer's step.
  // `total`: Gaussians of all ranks.
  virtual void add_gradient(const GaussianState& state, int64_t total, int views,
                            core::Planes& gradient) = 0;
  virtual void collect(GaussianState& state, const ViewStatistics& view) = 0;
  // Collective. What it returns is this rank's share.
  virtual DensifyReport end_step(GaussianState& state, const StepEnd& step) = 0;
};

struct DensifierEntry {
  std::string_view name;
  std::unique_ptr<Densifier> (*make)(const TrainSettings& settings, const Schedule& schedule,
                                     distributed::Communicator& ranks, core::ThreadPool& pool);
};
std::span<const DensifierEntry> densifiers();

// `settings.max_gaussians` must be set. Throws core::UsageError naming the known ones if there is
// none of that name. `ranks` and `pool` must outlive it.
std::unique_ptr<Densifier> make_densifier(const TrainSettings& settings, const Schedule& schedule,
                                          distributed::Communicator& ranks, core::ThreadPool& pool);

std::unique_ptr<Densifier> make_default_densifier(const TrainSettings& settings,
                                                  const Schedule& schedule,
                                                  distributed::Communicator& ranks,
                                                  core::ThreadPool& pool);
std::unique_ptr<Densifier> make_mcmc_densifier(const TrainSettings& settings,
                                               const Schedule& schedule,
                                               distributed::Communicator& ranks,
                                               core::ThreadPool& pool);

}  // namespace tessera::models
