// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_input.h"

#include <algorithm>
#include <cmath>

#include "apps/commands/photo3d_sources.h"
#include "apps/commands/run_folder.h"

namespace tessera::apps {
namespace {

Photo3dInput read_of_kind(const Photo3dOptions& options, Photo3dKind kind, core::ThreadPool& pool,
                          RunLog& log) {
  switch (kind) {
    case Photo3dKind::kPair:
      return stereo_pair(options, pool, log);
    case Photo3dKind::kCapture:
      return posed_photos(options, pool, log);
    case Photo3dKind::kScene: {
      Photo3dOptions of_scene = options;
      of_scene.scene_view.scene = scene_file(options.input);
      return gaussian_scene(of_scene, pool, log);
    }
    case Photo3dKind::kClip:
    case Photo3dKind::kNetworkClip:
      return clip_with_depth(options, pool, log);
    case Photo3dKind::kDepthMap:
    case Photo3dKind::kNetwork:
      break;
  }
  return photo_with_depth(options, log);
}

double unknown_share_of(const core::ImageF& inverse_depth) {
  const auto unknown =
      std::count_if(inverse_depth.data.begin(), inverse_depth.data.end(),
                    [](float value) { return !(std::isfinite(value) && value > 0); });
  return static_cast<double>(unknown) / static_cast<double>(inverse_depth.pixel_count());
}

}  // namespace

void take_depth(models::InverseDepth depth, models::DepthPhoto& photo, core::Log& log) {
  for (const std::string& note : depth.notes) log.info("{}", note);
  for (const std::string& warning : depth.warnings) log.warning("{}", warning);
  photo.inverse_depth = std::move(depth.values);
  photo.metric = depth.metric;
}

Photo3dInput read_photo3d_input(const Photo3dOptions& options, Photo3dKind kind,
                                core::ThreadPool& pool, RunLog& log) {
  Photo3dInput input = read_of_kind(options, kind, pool, log);
  if (!input.photos.empty()) return input;
  input.unknown_share = unknown_share_of(input.photo.inverse_depth);
  constexpr double kMost = 0.5;
  if (input.unknown_share > kMost) {
    log.warning("Depth is unknown at {:.0f} % of the pixels: most of the scene is guessed.",
                100 * input.unknown_share);
  } else if (input.unknown_share > 0) {
    log.info(
        "Depth is unknown at {:.1f} % of the pixels: they take that of known ones beside them.",
        100 * input.unknown_share);
  }
  return input;
}

}  // namespace tessera::apps
