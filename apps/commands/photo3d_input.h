// What `tessera photo3d` starts from, as a photo with depth.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "apps/commands/photo3d_options.h"
#include "core/log.h"
#include "core/thread_pool.h"
#include "models/multiplane/plan.h"

namespace tessera::apps {

struct Photo3dInput {
  std::string kind;  // "a photo and its depth map"
  models::DepthPhoto photo;
  // The other photo of a pair, from where it was taken: views can be held against it.
  std::optional<core::Image8> right;
  core::PosedCamera right_camera;
  double pair_distance = 0;  // units between them; 0: no pair
};

// Says in `log` what was decided and what looks wrong. Throws core::UsageError for options that
// do not go together, core::IoError for files.
Photo3dInput read_photo3d_input(const Photo3dOptions& options, core::ThreadPool& pool,
                                core::Log& log);

}  // namespace tessera::apps
