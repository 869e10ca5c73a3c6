// All settings of a training run as one plain struct: what the command line binds to, what a
// checkpoint keeps and what a run record shows.
//
// Defaults are those results are compared against (Kerbl et al. 2023; Kheradmand et al., "3D
// Gaussian Splatting as Markov Chain Monte Carlo", 2024). Every number of steps counts photos seen:
// a step over a batch of B photos advances by B.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tessera::models {

struct TrainSettings {
  // The run.
  int64_t iterations = 30000;  // photos seen in all
  int batch = 1;               // photos per step; rates follow the square-root rule
  uint64_t seed = 0;
  std::string rasterizer = "cpu";    // a name of render::rasterizers()
  std::string strategy = "default";  // a name of densifiers()
  int64_t max_gaussians = 0;         // 0: automatic, see gaussian_budget in model.h
  int64_t init_points = 0;           // random start cloud of this many; 0: the capture's points
  int64_t checkpoint_every = 1000;   // 0: only when stopped and at the end
  std::array<float, 3> background = {0, 0, 0};
  bool random_background = false;  // another color each step; `background` when evaluating

  // Many ranks.
  std::string message_precision = "float32";  // a name of message_precisions()
  std::string partition = "auto";             // see partition_of in sharded/round.h
  bool overlap = true;  // messages travel while pixels are drawn; the result has the same bits

  // What is drawn.
  int sh_degree = 3;
  bool antialiasing = false;
  float near_plane = 0.01F;

  // The loss: (1 - w) L1 + w (1 - SSIM), and what is added to it.
  float ssim_weight = 0.2F;
  float depth_weight = 0;          // of the L1 difference of inverse depth, where photos have depth
  float opacity_regularizer = -1;  // weight of the mean opacity; negative: 0.01 for mcmc, else 0
  float scale_regularizer = -1;    // weight of the mean scale; negative: 0.01 for mcmc, else 0

  // Optimizer. -1: follows the run's length (see schedule.h).
  float position_rate = 1.6e-4F;   // times the scene's extent
  float position_rate_final = -1;  // reached exponentially at the end (at most at 30,000)
  float sh_rate = 2.5e-3F;         // degree 0; the rest has sh_rate / sh_rest_divisor
  float sh_rest_divisor = -1;
  float opacity_rate = 0.025F;
  float scale_rate = 5e-3F;
  float rotation_rate = 1e-3F;
  float adam_epsilon = 1e-15F;
  bool visible_adam = false;   // moments of what the step did not see stay as they are
  int64_t sh_interval = 1000;  // one more degree each
  int sh_start_degree = 0;     // used from the first step on; at least that of the start scene

  // Growing and pruning. Negative bounds follow the run's length (see schedule.h).
  int64_t densify_from = -1;
  int64_t densify_until = -1;
  int64_t densify_interval = 100;
  bool absgrad = false;         // thresholds on absolute instead of summed gradients
  float densify_gradient = -1;  // negative: 2e-4, or 8e-4 with absgrad
  float clone_extent = 0.01F;   // share of the extent up to which one clones, else splits
  float split_divisor = 1.6F;
  float prune_opacity = 0.005F;
  float prune_extent = 0.1F;              // share of the extent; applies after the first reset
  int64_t opacity_reset_interval = 3000;  // 0: never
  float opacity_after_reset = 0.01F;
  float mcmc_noise = 5e5F;
  float mcmc_growth = 0.05F;  // per densify interval

  // Corrections per photo.
  bool exposure = false;  // an affine map of color for each photo
  bool pose_opt = false;  // camera poses are refined

  friend bool operator==(const TrainSettings&, const TrainSettings&) = default;
};

// Throws core::UsageError naming the option if a value cannot be meant.
void check(const TrainSettings& settings);

// All fields by their names, as JSON text; doubles and floats survive unchanged.
std::string to_json(const TrainSettings& settings);
// Fields that are absent keep the value they have in `defaults`. Throws core::UsageError for
// unknown fields, wrong types and text that is not JSON.
TrainSettings settings_from_json(const std::string& text, const TrainSettings& defaults = {});

}  // namespace tessera::models
