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

class Silence final : public core::Log {
 public:
  void write(core::LogLevel /*level*/, std::string_view /*message*/) override {}
};

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

// What would do nothing.
void check_scale(const Photo3dOptions& options, models::DepthKind kind) {
  if (options.depth_scale > 0 && kind == models::DepthKind::kInverseDepth) {
    throw core::UsageError("--depth-scale",
                           "has no meaning for inverse depth, which has no unit; if the values "
                           "have one, say --depth-is depth or disparity");
  }
  if (options.stereo_baseline > 0 && kind != models::DepthKind::kDisparity) {
    throw core::UsageError(
        "--stereo-baseline",
        fmt::format("is for disparities, and the values are taken as {}; if they are "
                    "disparities, say --depth-is disparity",
                    models::name_of(kind)));
  }
}

models::DepthScale scale_of(const Photo3dOptions& options, models::DepthKind kind, double focal_px,
                            double smaller) {
  check_scale(options, kind);
  models::DepthScale scale;
  scale.focal_px = focal_px;
  scale.baseline = options.stereo_baseline;
  scale.value = options.depth_scale;
  scale.offset_px = options.stereo_offset;
  if (kind == models::DepthKind::kDisparity) {
    // Disparities are in pixels of the map as it is stored.
    scale.value = (scale.value > 0 ? scale.value : 1) * smaller;
    scale.offset_px *= smaller;
  }
  return scale;
}

}  // namespace

models::InverseDepth depth_of_photo(const UprightPhoto& photo, double focal_px,
                                    const Photo3dOptions& options, core::Log& log) {
  const bool by_network = !options.depth_model.empty();
  models::DepthMap map =
      by_network ? run_network(photo, options, log) : read_depth_map(options.depth, log);
  const int stored_width = map.values.width;
  const models::DepthKind kind = kind_of(map, options, log);
  map.values = by_network ? models::resized_depth(map.values, photo.rgb.width, photo.rgb.height)
                          : fitted_to_photo(std::move(map.values), options.depth, photo, log);
  const double smaller = static_cast<double>(map.values.width) / stored_width;
  return models::inverse_depth_of(map, kind, scale_of(options, kind, focal_px, smaller));
}

std::vector<models::InverseDepth> depth_of_frames(const std::vector<fs::path>& files,
                                                  const UprightPhoto& photo, double focal_px,
                                                  const Photo3dOptions& options, core::Log& log) {
  const int width = photo.rgb.width;
  const int height = photo.rgb.height;
  const auto count = static_cast<int>(files.size());
  // All maps, one below the other: what is known up to scale and shift has one of each.
  models::DepthMap all;
  all.values.resize(width, height * count, 1);
  models::DepthKind kind = models::DepthKind::kDepth;
  models::DepthScale scale;
  std::vector<models::InverseDepth> depths(files.size());
  Silence silence;
  for (int i = 0; i < count; ++i) {
    core::Log& said = i == 0 ? log : silence;  // of all maps the same would be said
    models::DepthMap map = read_depth_map(files[i], said);
    const int stored_width = map.values.width;
    if (i == 0) kind = kind_of(map, options, log);
    map.values = fitted_to_photo(std::move(map.values), files[i], photo, said);
    if (i == 0) {
      scale = scale_of(options, kind, focal_px, static_cast<double>(width) / stored_width);
      all.integer_bits = map.integer_bits;
      depths[0] = models::inverse_depth_of(map, kind, scale);  // for what is to be said
    }
    core::copy_pixels(map.values, 0, 0, all.values, 0, i * height, width, height);
  }
  const models::InverseDepth of_all = models::inverse_depth_of(all, kind, scale);
  for (int i = 0; i < count; ++i) {
    core::crop(of_all.values, {0, i * height, width, height}, depths[i].values);
    depths[i].metric = of_all.metric;
  }
  return depths;
}

Photo3dInput photo_with_depth(const Photo3dOptions& options, core::Log& log) {
  Photo3dInput input;
  input.kind =
      options.depth_model.empty() ? "a photo and its depth map" : "a photo and a network's depth";
  UprightPhoto photo = read_upright(options.input, options.resolution, log);
  input.photo.camera = camera_of(photo, options, log);
  models::InverseDepth depth = depth_of_photo(photo, input.photo.camera.camera.fx, options, log);
  input.scale = photo.scale();
  input.photo.photo = std::move(photo.rgb);
  take_depth(std::move(depth), input.photo, log);
  return input;
}

}  // namespace tessera::apps
