// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_input.h"

#include "apps/commands/photo3d_sources.h"
#include "apps/commands/run_folder.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "core/error.h"

namespace tessera::apps {

void take_depth(models::InverseDepth depth, models::DepthPhoto& photo, core::Log& log) {
  for (const std::string& note : depth.notes) log.info("{}", note);
  for (const std::string& warning : depth.warnings) log.warning("{}", warning);
  photo.inverse_depth = std::move(depth.values);
  photo.metric = depth.metric;
}

Photo3dInput read_photo3d_input(const Photo3dOptions& options, core::ThreadPool& pool,
                                core::Log& log) {
  if (is_run_folder(options.input) || assets::names_scene(options.input)) {
    if (!options.second.empty() || !options.depth.empty() || !options.depth_model.empty()) {
      throw core::UsageError("PHOTO", "a Gaussian scene has depth; leave the other file out");
    }
    Photo3dOptions of_scene = options;
    of_scene.scene_view.scene = scene_file(options.input);
    return gaussian_scene(of_scene, pool, log);
  }
  const int sources = int{!options.second.empty()} + int{!options.depth.empty()} +
                      int{!options.depth_model.empty()};
  if (sources > 1) {
    throw core::UsageError("PHOTO",
                           "depth comes from the pair or from the file, not from both; "
                           "leave one out");
  }
  if (!options.second.empty()) return stereo_pair(options, pool, log);
  if (sources == 1) return photo_with_depth(options, log);
  if (assets::is_capture(options.input)) return posed_photos(options, pool, log);
  throw core::UsageError("PHOTO",
                         "one photo has no depth: add --depth FILE, --depth-model FILE, or the "
                         "right photo of a stereo pair");
}

}  // namespace tessera::apps
