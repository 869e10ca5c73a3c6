// What `tessera photo3d` starts from, as a photo with depth.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "apps/commands/photo3d_kind.h"
#include "apps/commands/photo3d_options.h"
#include "apps/commands/run_log.h"
#include "core/thread_pool.h"
#include "models/multiplane/depth_clip.h"
#include "models/multiplane/plan.h"
#include "models/multiplane/posed_photo.h"

namespace tessera::apps {

// A photo that was not used, which a view of the result can be held against.
struct MeasuredPhoto {
  std::string name;
  models::PosedPhoto photo;
};

// A photo with depth, which of a clip is what is still in it; or several posed photos.
struct Photo3dInput {
  std::string kind;  // "a photo and its depth map"
  models::DepthPhoto photo;
  models::DepthClip clip;  // without frames: none
  models::ClipStatistics clip_statistics;
  std::vector<models::PosedPhoto> photos;
  std::vector<std::string> names;  // of these
  int reference = 0;               // of these, as models::reference_photo() has it
  std::vector<MeasuredPhoto> measured;
  double unknown_share = 0;    // of a photo's pixels: those whose depth is not known
  double scale = 1;            // of the picture against the photo at its full size
  double camera_distance = 0;  // units from the reference to the farthest other camera; 0: alone
};

// Says in `log` what was decided and what looks wrong. Throws core::UsageError for options that
// do not go together, core::IoError for files.
Photo3dInput read_photo3d_input(const Photo3dOptions& options, Photo3dKind kind,
                                core::ThreadPool& pool, RunLog& log);

}  // namespace tessera::apps
