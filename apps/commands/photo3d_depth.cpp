// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>

#include "apps/commands/photo3d_sources.h"
#include "apps/commands/progress.h"
#include "apps/commands/upright_photo.h"
#include "assets/depth.h"
#include "core/error.h"
#include "models/multiplane/depth_meaning.h"
#include "models/multiplane/depth_network.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// Turned and resized to the photo.
core::ImageF fitted_to_photo(core::ImageF values, const fs::path& path, const UprightPhoto& photo,
                             core::Log& log) {
  const core::Image8& rgb = photo.rgb;
  constexpr double kSameShape = 0.02;
  const auto is_of_shape = [&](int width, int height) {
    const double ratio =
        static_cast<double>(values.width) * height / (static_cast<double>(values.height) * width);
    return std::abs(ratio - 1) < kSameShape ||
           std::abs(values.width * static_cast<double>(height) / values.height - width) < 1.5;
  };
  if (!is_of_shape(rgb.width, rgb.height)) {
    const bool turned = photo.info.exif_orientation >= 5 && is_of_shape(rgb.height, rgb.width);
    if (!turned) {
      throw core::IoError(
          path, fmt::format("the depth map is {}x{} and the photo {}x{}: they must show the same, "
                            "if smaller or larger{}",
                            values.width, values.height, rgb.width, rgb.height,
                            is_of_shape(rgb.height, rgb.width) ? "; turn one of them" : ""));
    }
    log.info("The depth map lies as the photo is stored: it is turned as the photo's EXIF says.");
    values = assets::oriented(values, photo.info.exif_orientation);
  }
  if (values.width == rgb.width && values.height == rgb.height) return values;
  log.info("The depth map is {}x{}: it is resized to the photo's {}x{}.", values.width,
           values.height, rgb.width, rgb.height);
  return models::resized_depth(values, rgb.width, rgb.height);
}

models::DepthMap read_depth_map(const fs::path& path, core::Log& log) {
  assets::DepthFile file = assets::read_depth(path);
  if (!file.note.empty()) log.info("{}", file.note);
  return {std::move(file.values), file.is_integer ? file.bits : 0};
}

models::DepthMap run_network(const UprightPhoto& photo, const Photo3dOptions& options,
                             core::Log& log) {
  const core::Timer timer;
  models::DepthMap map{
      models::estimate_depth(photo.rgb, options.depth_model,
                             {options.model_width, options.model_height, options.model_range})};
  log.info("{} gave depth of {}x{} in {}", options.depth_model.filename().string(),
           map.values.width, map.values.height, duration_text(timer.seconds()));
  return map;
}

// What the user says, or else what networks usually give and maps look like.
models::DepthKind kind_of(const models::DepthMap& map, const Photo3dOptions& options,
                          core::Log& log) {
  if (const auto named = models::depth_kind_named(options.depth_is)) return *named;
  const models::DepthKind kind =
      options.depth_model.empty() ? models::guessed_kind(map) : models::DepthKind::kInverseDepth;
  log.info("Values are taken as {} (--depth-is).", models::name_of(kind));
  return kind;
}

}  // namespace

Photo3dInput photo_with_depth(const Photo3dOptions& options, core::Log& log) {
  Photo3dInput input;
  const bool by_network = !options.depth_model.empty();
  input.kind = by_network ? "a photo and a network's depth" : "a photo and its depth map";
  UprightPhoto photo = read_upright(options.input, options.resolution, log);
  input.photo.camera = camera_of(photo, options, log);
  models::DepthMap map =
      by_network ? run_network(photo, options, log) : read_depth_map(options.depth, log);
  const int stored_width = map.values.width;
  const models::DepthKind kind = kind_of(map, options, log);
  map.values = by_network ? models::resized_depth(map.values, photo.rgb.width, photo.rgb.height)
                          : fitted_to_photo(std::move(map.values), options.depth, photo, log);
  models::DepthScale scale;
  scale.focal_px = input.photo.camera.camera.fx;
  scale.baseline = options.stereo_baseline;
  scale.value = options.depth_scale;
  scale.offset_px = options.stereo_offset;
  if (kind == models::DepthKind::kDisparity) {
    // Disparities are in pixels of the map as it is stored.
    const double smaller = static_cast<double>(map.values.width) / stored_width;
    scale.value = (scale.value > 0 ? scale.value : 1) * smaller;
    scale.offset_px *= smaller;
  }
  models::InverseDepth depth = models::inverse_depth_of(map, kind, scale);
  input.scale = photo.scale();
  input.photo.photo = std::move(photo.rgb);
  take_depth(std::move(depth), input.photo, log);
  return input;
}

}  // namespace tessera::apps
