// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/commands/photo3d_sources.h"
#include "apps/commands/photo_name.h"
#include "apps/commands/progress.h"
#include "apps/commands/scene_view.h"
#include "apps/commands/upright_photo.h"
#include "assets/captures/capture_reader.h"
#include "assets/photos/photo_cache.h"
#include "core/error.h"
#include "models/multiplane/fit.h"

namespace tessera::apps {
namespace {

std::vector<int> views_named(const core::Capture& capture, const std::vector<std::string>& typed,
                             const char* option) {
  std::vector<std::string> names;
  names.reserve(capture.views.size());
  for (const core::CaptureView& view : capture.views) names.push_back(view.name);
  std::vector<int> found;
  found.reserve(typed.size());
  for (const std::string& name : typed) {
    found.push_back(static_cast<int>(photo_named(names, name, option)));
  }
  return found;
}

}  // namespace

Photo3dInput posed_photos(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log) {
  assets::CaptureOptions capture_options;
  capture_options.resolution = options.resolution;
  const core::Capture capture = assets::read_capture(options.input, capture_options);
  for (const std::string& warning : capture.warnings) log.warning("{}", warning);
  for (const std::string& note : capture.notes) log.info("{}", note);
  const std::vector<int> measured = views_named(capture, options.measured, "--measure");
  std::vector<int> fitted = views_named(capture, options.views, "--views");
  for (int view = 0; options.views.empty() && view < static_cast<int>(capture.views.size());
       ++view) {
    if (std::count(measured.begin(), measured.end(), view) == 0) fitted.push_back(view);
  }
  if (fitted.size() < 2) {
    throw core::UsageError(
        "--views",
        fmt::format("a scene is fitted to at least two photos, and these are {}", fitted.size()));
  }
  std::vector<int> all = fitted;
  all.insert(all.end(), measured.begin(), measured.end());
  assets::PhotoOptions photo_options;
  photo_options.resolution = options.resolution;
  const std::unique_ptr<core::PhotoSource> source =
      assets::open_photos(capture, all, photo_options, pool, log);

  Photo3dInput input;
  input.kind = plural(static_cast<int64_t>(fitted.size()), "photo");
  for (int i = 0; i < source->count(); ++i) {
    const std::shared_ptr<const core::Photo> photo = source->photo(i);
    // In the numbers of the capture's files.
    const core::PosedCamera camera = shifted(source->camera(i), capture.origin_in_file * -1.0);
    models::PosedPhoto posed = {rgb_of(photo->pixels), photo->mask, camera};
    if (static_cast<size_t>(i) < fitted.size()) {
      input.photos.push_back(std::move(posed));
      input.names.push_back(source->name(i));
    } else {
      input.measured.push_back({source->name(i), std::move(posed)});
    }
  }
  input.reference = models::reference_photo(input.photos);
  const models::PosedPhoto& reference = input.photos.at(input.reference);
  for (const models::PosedPhoto& photo : input.photos) {
    const math::Vec3<double> between = core::center_in_world(photo.camera.cam_from_world) -
                                       core::center_in_world(reference.camera.cam_from_world);
    input.camera_distance = std::max(input.camera_distance, std::sqrt(dot(between, between)));
  }
  return input;
}

}  // namespace tessera::apps
