// Steps of a training run on many ranks, replayed on one: which rank would draw what, and how many
// splats of whom it would need. Ownership, partition and routing are the trainer's own.
//
// Beside it, for comparison, the scheme of Zhao et al., "On Scaling Up 3D Gaussian Splatting
// Training", 2024: Gaussians belong to ranks at random, and the tile rows of the step's views, one
// view after the other, are cut into as many parts as there are ranks (one view into strips). Its
// cuts here follow from what drawing the rows takes in this very step, which is better than what a
// run knows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/sharded/message_coding.h"
#include "models/gaussian/sharded/ownership_costs.h"
#include "models/gaussian/sharded/space_grid.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "models/gaussian/sharded/traffic_model.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {

// What drawing a whole view takes.
struct ViewWork {
  int64_t pixels = 0;
  int64_t visible = 0;
  int64_t tile_pairs = 0;
  std::vector<int64_t> evaluated_per_tile;

  int64_t evaluated_pairs() const;
};

// Whether a view was drawn before, as in all epochs but the first: then it is cut by what drawing
// it took.
enum class Showing { kFirst, kLater };

class TrafficReplay {
 public:
  using Owners = std::vector<uint16_t>;  // of each Gaussian

  // All of it must outlive the replay; `cameras` are those trained on.
  TrafficReplay(const core::GaussianCloud& cloud, std::span<const core::PosedCamera> cameras,
                const TrainSettings& settings, const MessageCoding& coding, core::ThreadPool& pool);

  // What owning costs once these views were shown.
  OwnershipCosts costs_of_showing(std::span<const int> views);
  // By boxes of equal costs; a run begins with those before any view.
  Owners owners_by_boxes(int ranks, const OwnershipCosts& costs = {}) const;
  Owners owners_at_random(int ranks) const;

  // A step over these views, partitioned as the settings say.
  StepCounts step(std::span<const int> views, Showing showing, int ranks, const Owners& owners);
  // The other scheme's. Nothing if a rank would get less than a tile row, which ends its run.
  std::optional<StepCounts> row_step(std::span<const int> views, int ranks, const Owners& owners);

  const ViewWork& work(int view);

 private:
  void project(int view);
  core::PixelWindow picture(int view) const;
  StepCounts begin_step(std::span<const int> views, int ranks, const Owners& owners) const;
  // Of the view that was projected last.
  void add_visible(const Owners& owners, StepCounts& step, std::vector<int64_t>& of_view) const;
  TileCosts costs_before(int view, Showing showing);
  void draw_in_blocks(std::span<const int> views, Showing showing, const Owners& owners,
                      StepCounts& step);
  void draw_nearly_whole(std::span<const int> views, Showing showing, const Owners& owners,
                         StepCounts& step);
  // Rows of tiles that one rank draws of one view, in the order of views.
  std::vector<DrawnWindow> strips_of(std::span<const int> views, int ranks);
  WindowCounts count(const DrawnWindow& drawn, int view, const Owners& owners, int ranks);

  const core::GaussianCloud& cloud_;
  const std::span<const core::PosedCamera> cameras_;
  const TrainSettings& settings_;
  const MessageCoding& coding_;
  const render::RasterizeOptions options_;
  const std::unique_ptr<distributed::Communicator> alone_;
  const SpaceGrid grid_;
  render::CpuProjection projection_;
  int projected_ = -1;
  render::CpuBlending blending_;
  std::map<int, ViewWork> work_;
};

}  // namespace tessera::models
