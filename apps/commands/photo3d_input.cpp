// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/commands/photo_name.h"
#include "apps/commands/progress.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/scene_view.h"
#include "assets/captures/capture_reader.h"
#include "assets/depth.h"
#include "assets/io.h"
#include "assets/photos/image_io.h"
#include "assets/photos/photo_cache.h"
#include "assets/photos/shrink.h"
#include "core/error.h"
#include "core/lower_case.h"
#include "models/multiplane/depth_meaning.h"
#include "models/multiplane/depth_network.h"
#include "models/multiplane/fit.h"
#include "models/multiplane/stereo.h"
#include "models/multiplane/stereo_alignment.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// A photo as it is looked at: turned as its EXIF says, three channels.
struct UprightPhoto {
  core::Image8 rgb;
  assets::ImageInfo info;  // of the file
  int full_width = 0;      // before it was made smaller
};

core::Image8 rgb_of(const core::Image8& image) {
  if (image.channels == 3) return image;
  core::Image8 rgb(image.width, image.height, 3);
  for (int64_t i = 0; i < image.pixel_count(); ++i) {
    const uint8_t* from = image.data.data() + i * image.channels;
    for (int c = 0; c < 3; ++c) {
      const int value = from[image.channels == 1 ? 0 : c];
      rgb.data[3 * i + c] =
          static_cast<uint8_t>(image.channels == 4 ? (value * from[3] + 127) / 255 : value);
    }
  }
  return rgb;
}

struct Size {
  int width;
  int height;
};

// As of a capture's photos: up to 8 it divides, more is the width wanted.
Size reduced(int width, int height, int resolution) {
  constexpr int kLargestDivisor = 8;
  const double times = resolution <= kLargestDivisor
                           ? resolution
                           : std::max(1.0, static_cast<double>(width) / resolution);
  const auto side = [&](int full) {
    return std::max(1, static_cast<int>(std::lround(full / times)));
  };
  return {side(width), side(height)};
}

UprightPhoto read_upright(const fs::path& path, int resolution, core::Log& log) {
  UprightPhoto photo;
  photo.info = assets::probe_image(path);
  const core::Image8 stored = assets::read_image(path);
  if (stored.channels == 4) {
    log.info("{} has transparent pixels: they are laid over black.", path.filename().string());
  }
  photo.rgb = assets::oriented(rgb_of(stored), photo.info.exif_orientation);
  photo.full_width = photo.rgb.width;
  if (resolution > 1) {
    core::Photo whole;
    whole.pixels = std::move(photo.rgb);
    const Size size = reduced(whole.pixels.width, whole.pixels.height, resolution);
    photo.rgb = assets::shrink(whole, size.width, size.height).pixels;
  }
  return photo;
}

// By what the user says, the photo, or a usual lens.
core::PosedCamera camera_of(const UprightPhoto& photo, const Photo3dOptions& options,
                            core::Log& log) {
  const int width = photo.rgb.width;
  const int height = photo.rgb.height;
  const int longer = std::max(width, height);
  double focal = longer;
  if (options.focal_px > 0) {
    focal = options.focal_px * width / photo.full_width;
  } else if (options.fov_deg > 0) {
    focal = 0.5 * height / std::tan(0.5 * options.fov_deg * std::numbers::pi / 180);
  } else if (photo.info.focal_35mm > 0) {
    constexpr double kFilmWidth = 36;
    focal = photo.info.focal_35mm * longer / kFilmWidth;
    log.info("The photo says {} mm on 35 mm film: a focal length of {:.0f} pixels.",
             photo.info.focal_35mm, focal);
  } else {
    log.info(
        "The photo does not say its focal length: it is taken as its longer side, {} pixels; "
        "--focal or --fov gives it.",
        longer);
  }
  core::PosedCamera camera;
  camera.camera.width = width;
  camera.camera.height = height;
  camera.camera.fx = camera.camera.fy = focal;
  camera.camera.cx = 0.5 * width;
  camera.camera.cy = 0.5 * height;
  return camera;
}

void say(const models::InverseDepth& depth, core::Log& log) {
  for (const std::string& note : depth.notes) log.info("{}", note);
  for (const std::string& warning : depth.warnings) log.warning("{}", warning);
}

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

ComparedPhoto compared_with_itself(const models::DepthPhoto& photo) {
  return {"photo", {photo.photo, {}, photo.camera}};
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
  say(depth, log);
  input.scale = static_cast<double>(photo.rgb.width) / photo.full_width;
  input.photo.photo = std::move(photo.rgb);
  input.photo.inverse_depth = std::move(depth.values);
  input.photo.metric = depth.metric;
  input.compared = {compared_with_itself(input.photo)};
  return input;
}

void check_alignment(const models::StereoAlignment& alignment, core::Log& log) {
  if (alignment.is_exchanged()) {
    throw core::Error(fmt::format(
        "The second photo was taken from the left of the first: {:.0f} % of {} matches move right; "
        "exchange the two photos.",
        100 * alignment.exchanged_share, alignment.matches));
  }
  if (!alignment.is_rectified()) {
    log.warning(
        "The pair is not rectified: {:.0f} % of {} matches lie above or below their row, {:+.0f} "
        "pixels in the median; depth will be wrong: rectify the photos first.",
        100 * alignment.off_row_share, alignment.matches, alignment.vertical_px);
  }
}

Photo3dInput stereo_pair(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log) {
  Photo3dInput input;
  input.kind = "a stereo pair";
  UprightPhoto left = read_upright(options.input, options.resolution, log);
  UprightPhoto right = read_upright(options.second, options.resolution, log);
  if (left.rgb.width != right.rgb.width || left.rgb.height != right.rgb.height) {
    throw core::UsageError(
        "RIGHT", fmt::format("{} is {}x{} and {} {}x{}: the photos of a pair are of one size",
                             options.input.string(), left.rgb.width, left.rgb.height,
                             options.second.string(), right.rgb.width, right.rgb.height));
  }
  input.photo.camera = camera_of(left, options, log);
  const double smaller = static_cast<double>(left.rgb.width) / left.full_width;
  const int largest =
      options.max_disparity > 0
          ? std::max(1, static_cast<int>(std::lround(options.max_disparity * smaller)))
          : std::max(16, left.rgb.width / 5);
  check_alignment(models::align_stereo(left.rgb, right.rgb, largest, pool), log);

  models::DepthMap map{models::match_stereo(left.rgb, right.rgb, largest)};
  const auto known = std::count_if(map.values.data.begin(), map.values.data.end(),
                                   [](float value) { return value > 0; });
  const double share = static_cast<double>(known) / static_cast<double>(map.values.pixel_count());
  log.info("Matched {:.0f} % of the pixels, up to {} pixels apart.", 100 * share, largest);
  constexpr double kFew = 0.4;
  if (share < kFew) {
    log.warning(
        "Few pixels match: the photos may not be a rectified pair, or points move farther "
        "than {} pixels (--max-disparity).",
        largest);
  }
  models::DepthScale scale;
  scale.focal_px = input.photo.camera.camera.fx;
  scale.baseline = options.stereo_baseline;
  scale.offset_px = options.stereo_offset * smaller;
  models::InverseDepth depth = models::inverse_depth_of(map, models::DepthKind::kDisparity, scale);
  say(depth, log);
  input.scale = smaller;
  input.photo.photo = std::move(left.rgb);
  input.photo.inverse_depth = std::move(depth.values);
  input.photo.metric = depth.metric;
  input.camera_distance = scale.baseline > 0 ? scale.baseline : 1;
  core::PosedCamera right_camera = input.photo.camera;
  right_camera.camera.cx -= scale.offset_px;
  right_camera.cam_from_world.translation.x = -input.camera_distance;
  input.compared = {compared_with_itself(input.photo),
                    {"right photo", {std::move(right.rgb), {}, right_camera}}};
  return input;
}

bool is_gaussian_scene(const fs::path& path) {
  if (is_run_folder(path)) return true;
  const std::string extension = core::lower_case(path.extension().string());
  const auto formats = assets::formats();
  return std::any_of(formats.begin(), formats.end(), [&](const assets::FormatEntry& format) {
    return std::find(format.extensions.begin(), format.extensions.end(), extension) !=
           format.extensions.end();
  });
}

// The scene is drawn from its camera; where Gaussians of many depths make up a pixel, its depth is
// trusted less.
Photo3dInput gaussian_scene(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log) {
  Photo3dInput input;
  input.kind = "a Gaussian scene";
  core::GaussianScene scene = assets::read_scene(options.scene_view.scene);
  for (const std::string& note : scene.notes) log.info("{}", note);
  const RenderViews views = render_views(options.scene_view, scene, log);
  if (views.views.size() != 1) {
    throw core::UsageError("--camera",
                           "of a scene one view is made: name the photo of the capture, "
                           "or a position and target");
  }
  core::PosedCamera camera = views.views[0].camera;
  if (!core::is_pinhole(camera.camera)) {
    camera.camera.model = core::CameraModel::kPinhole;
    camera.camera.distortion = {};
    log.info("The camera's distortion is left out.");
  }
  if (options.resolution > 1) {
    const Size size = reduced(camera.camera.width, camera.camera.height, options.resolution);
    camera.camera = core::scaled(camera.camera, size.width, size.height);
  }
  render::RasterizeOptions draw;
  draw.sh_degree = scene.cloud.sh_degree;
  draw.antialiased = scene.antialiased;
  draw.depth = true;
  render::RenderOutput output;
  render::make_rasterizer("cpu", pool)->forward(scene.cloud, camera, draw, output);
  input.photo.camera = camera;
  input.photo.photo = assets::to_image8(output.color);
  input.photo.inverse_depth.resize(camera.camera.width, camera.camera.height, 1);
  input.photo.weight.resize(camera.camera.width, camera.camera.height, 1);
  constexpr float kCovered = 0.5F;
  int64_t known = 0;
  for (int64_t i = 0; i < output.depth.pixel_count(); ++i) {
    const float depth = output.depth.data[i];
    const bool covered = output.alpha.data[i] >= kCovered && depth > 0;
    known += covered ? 1 : 0;
    input.photo.inverse_depth.data[i] = covered ? 1 / depth : 0;
    // Of inverse depth, to first order.
    const float deviation =
        covered ? std::sqrt(std::max(output.depth_variance.data[i], 0.0F)) / depth : 0;
    constexpr float kExact = 0.02F;
    input.photo.weight.data[i] = kExact * kExact / (kExact * kExact + deviation * deviation);
  }
  if (known == 0) {
    throw core::Error(fmt::format("{}: no Gaussian is seen from there; give another --camera.",
                                  options.scene_view.scene.string()));
  }
  // In the numbers of the scene's file.
  input.photo.camera = shifted(camera, -origin_of(scene));
  input.compared = {compared_with_itself(input.photo)};
  log.info("Drew {} at {}x{}; a unit is the scene's.", plural(scene.cloud.size(), "Gaussian"),
           camera.camera.width, camera.camera.height);
  return input;
}

// Several photos of a capture.
Photo3dInput posed_photos(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log) {
  assets::CaptureOptions capture_options;
  capture_options.resolution = options.resolution;
  const core::Capture capture = assets::read_capture(options.input, capture_options);
  for (const std::string& warning : capture.warnings) log.warning("{}", warning);
  for (const std::string& note : capture.notes) log.info("{}", note);
  std::vector<std::string> names;
  for (const core::CaptureView& view : capture.views) names.push_back(view.name);
  const auto places = [&](const std::vector<std::string>& typed, const char* option) {
    std::vector<int> found;
    found.reserve(typed.size());
    for (const std::string& name : typed) {
      found.push_back(static_cast<int>(photo_named(names, name, option)));
    }
    return found;
  };
  const std::vector<int> measured = places(options.measured, "--measure");
  std::vector<int> fitted = places(options.views, "--views");
  if (fitted.empty()) {
    for (size_t i = 0; i < names.size(); ++i) {
      const int place = static_cast<int>(i);
      if (std::count(measured.begin(), measured.end(), place) == 0) fitted.push_back(place);
    }
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
    } else {
      input.compared.push_back({source->name(i), std::move(posed)});
    }
  }
  const models::PosedPhoto& reference = input.photos.at(models::reference_photo(input.photos));
  for (const models::PosedPhoto& photo : input.photos) {
    const math::Vec3<double> between = core::center_in_world(photo.camera.cam_from_world) -
                                       core::center_in_world(reference.camera.cam_from_world);
    input.camera_distance = std::max(input.camera_distance, std::sqrt(dot(between, between)));
  }
  if (input.compared.empty()) input.compared = {{"reference photo", reference}};
  return input;
}

bool is_capture(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return true;
  const auto readers = assets::capture_readers();
  return std::any_of(readers.begin(), readers.end(),
                     [&](const assets::CaptureReader& reader) { return reader.probe(path); });
}

}  // namespace

Photo3dInput read_photo3d_input(const Photo3dOptions& options, core::ThreadPool& pool,
                                core::Log& log) {
  if (is_gaussian_scene(options.input)) {
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
  if (is_capture(options.input)) return posed_photos(options, pool, log);
  throw core::UsageError("PHOTO",
                         "one photo has no depth: add --depth FILE, --depth-model FILE, or the "
                         "right photo of a stereo pair");
}

}  // namespace tessera::apps
