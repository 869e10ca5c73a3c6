// SPDX-License-Identifier: MIT
#include "apps/commands/render_cameras.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "apps/commands/camera_path.h"
#include "apps/commands/photo3d_motion.h"
#include "apps/commands/photo_name.h"
#include "apps/commands/refined_poses.h"
#include "apps/commands/scene_frame.h"
#include "apps/commands/scene_view.h"
#include "assets/captures/capture_reader.h"
#include "assets/photos/undistort.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

using math::Vec3;

constexpr double kFovDeg = 50;

// Numbers between commas, as many as there are; nothing if something else stands among them.
std::optional<std::vector<double>> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.c_str();
  while (true) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) return std::nullopt;
    numbers.push_back(value);
    if (*end == '\0') return numbers;
    if (*end != ',') return std::nullopt;
    at = end + 1;
  }
}

// The cameras that photographed the scene, in its coordinates, and their photos' names.
struct KnownCameras {
  std::vector<std::string> names;
  std::vector<core::PosedCamera> cameras;
};

KnownCameras known_cameras(const ViewOptions& options, core::GaussianScene& scene, core::Log& log) {
  KnownCameras known;
  if (options.capture.empty()) {
    known.cameras = cameras_beside(options.scene);
    return known;
  }
  assets::CaptureOptions capture_options;
  capture_options.photos_required = false;
  core::Capture capture = assets::read_capture(options.capture, capture_options);
  for (const std::string& warning : capture.warnings) log.warning("{}", warning);
  take_refined_poses(capture, options.capture, options.scene, origin_of(scene), log);
  move_to_origin(scene, capture.origin_in_file);
  for (const core::CaptureView& view : capture.views) {
    known.names.push_back(view.name);
    known.cameras.push_back({assets::pinhole_of(view.camera).camera, view.cam_from_world});
  }
  return known;
}

core::Camera with_size_and_fov(const core::Camera& camera, const ViewOptions& options) {
  core::Camera result = options.width > 0 ? resized(camera, options.width, options.height) : camera;
  if (options.fov_deg > 0) result = pinhole(result.width, result.height, options.fov_deg);
  return result;
}

std::optional<Vec3<double>> up_given(const ViewOptions& options) {
  if (options.up.empty()) return std::nullopt;
  const std::string& up = options.up;
  if (const auto numbers = numbers_in(up); numbers && numbers->size() == 3) {
    const Vec3<double> direction = {(*numbers)[0], (*numbers)[1], (*numbers)[2]};
    const double length = std::sqrt(dot(direction, direction));
    if (length == 0) throw core::UsageError("--up", "a direction cannot be 0,0,0");
    return direction * (1 / length);
  }
  const std::string axis = up.size() == 1 ? "+" + up : up;
  if (axis.size() == 2 && (axis[0] == '+' || axis[0] == '-') && axis[1] >= 'x' && axis[1] <= 'z') {
    return vertical_axis_direction(axis);
  }
  throw core::UsageError("--up",
                         fmt::format("\"{}\" is no direction; it takes +x, -y, +z and so on "
                                     "or three numbers such as 0,0,1",
                                     up));
}

SceneFrame frame_of(const core::GaussianScene& scene, const KnownCameras& known,
                    const ViewOptions& options, const core::Camera& camera, core::Log& log) {
  const std::optional<Vec3<double>> up = up_given(options);
  if (known.cameras.empty()) {
    if (!up && scene.vertical_axis.empty()) {
      log.info(
          "Up is taken to be -y, as captures usually stand: give --up or --capture if it is "
          "not");
    }
    return frame_from_cloud(scene.cloud, up.value_or(vertical_axis_direction(scene.vertical_axis)),
                            camera);
  }
  SceneFrame frame = frame_from_cameras(known.cameras);
  if (up) {
    frame.up = *up;
    Vec3<double> ahead = frame.forward - frame.up * dot(frame.forward, frame.up);
    if (dot(ahead, ahead) < 1e-6)
      ahead = cross(frame.up, Vec3<double>{frame.up.y, frame.up.z, frame.up.x});
    frame.forward = ahead * (1 / std::sqrt(std::max(dot(ahead, ahead), 1e-12)));
  }
  return frame;
}

// What --camera says if it is a position and a target, in numbers of the scene's file.
std::optional<core::PosedCamera> camera_in_numbers(const ViewOptions& options,
                                                   const core::Camera& camera, Vec3<double> up,
                                                   Vec3<double> shift) {
  const auto n = numbers_in(options.camera);
  if (!n || n->size() != 6) return std::nullopt;
  const Vec3<double> position = Vec3<double>{(*n)[0], (*n)[1], (*n)[2]} - shift;
  const Vec3<double> target = Vec3<double>{(*n)[3], (*n)[4], (*n)[5]} - shift;
  return core::PosedCamera{camera, look_at(position, target, up)};
}

core::PosedCamera single_camera(const ViewOptions& options, const KnownCameras& known,
                                const core::Camera& camera, const SceneFrame& frame,
                                Vec3<double> shift) {
  if (const auto placed = camera_in_numbers(options, camera, frame.up, shift)) return *placed;
  if (options.capture.empty()) {
    throw core::UsageError(
        "--camera",
        fmt::format("\"{}\" is no position and target such as 0,-1,-3,0,0,0; if it is a photo's "
                    "name, add --capture and the capture that it belongs to",
                    options.camera));
  }
  const core::PosedCamera& photographed =
      known.cameras[photo_named(known.names, options.camera, "--camera")];
  return {with_size_and_fov(photographed.camera, options), photographed.cam_from_world};
}

std::vector<RenderView> numbered(const std::vector<core::PosedCamera>& cameras) {
  std::vector<RenderView> views;
  for (size_t i = 0; i < cameras.size(); ++i) {
    views.push_back({fmt::format("{:05}.png", i), cameras[i]});
  }
  return views;
}

// Of the cameras on a path file, in the numbers of the scene's file.
RenderViews views_on_path(const ViewOptions& options, const core::Camera& camera, Vec3<double> up,
                          Vec3<double> shift) {
  PathFile file = read_camera_path(options.path, camera, options.frames, up, shift);
  for (core::PosedCamera& posed : file.cameras) {
    posed.camera = with_size_and_fov(posed.camera, options);
  }
  return {numbered(file.cameras), file.frames_per_second.value_or(0)};
}

void check_one_way(const ViewOptions& options) {
  const int ways = int{options.turntable} + int{!options.path.empty()} +
                   int{!options.camera.empty()} + int{!options.motion.empty()};
  if (ways > 1) {
    throw core::UsageError("--turntable",
                           "only one of --turntable, --path, --camera and --motion can be meant");
  }
}

}  // namespace

void parse_size(const std::string& text, int& width, int& height) {
  int w = 0;
  int h = 0;
  char rest = 0;
  const int found = std::sscanf(text.c_str(), "%dx%d%c", &w, &h, &rest);
  const bool alone = found == 1 && text.find('x') == std::string::npos;
  if ((!alone && found != 2) || w < 1 || w > kMostPixelsASide || h > kMostPixelsASide ||
      (found == 2 && h < 1)) {
    throw std::invalid_argument("a width such as 1280 or a size such as 1280x720, at most 16384");
  }
  width = w;
  height = h;
}

std::string size_text(int width, int height) {
  if (width == 0) return "";
  return height == 0 ? fmt::format("{}", width) : fmt::format("{}x{}", width, height);
}

void bind_view_options(core::OptionTable& table, ViewOptions& o) {
  table.positional("SCENE", o.scene, "a scene file of any format that is read, or a run's folder");
  table.group("Where from");
  table.add("--capture", o.capture, "CAPTURE", "from this capture's cameras (or oriented by them)")
      .common();
  table.flag("--turntable", o.turntable, "a circle around what the cameras looked at").common();
  table
      .add("--path", o.path, "FILE",
           "JSON: {\"keyframes\": [{\"position\", \"look_at\"}]}, a camera_path or a cameras.json")
      .common();
  table
      .add("--camera", o.camera, "WHERE",
           "one picture: x,y,z of the camera and of its target, or a photo's name")
      .common();
  table.add("--motion", o.motion, "NAME",
            "before a multiplane image: orbit, sway, dolly or spiral");
  table
      .add("--amount", o.amount, "X",
           "how far --motion goes; 1: the nearest moves by 4 % of the width")
      .range(0, 10);
  table.add("--up", o.up, "AXIS", "+z, -y, ... or x,y,z; else as the cameras stood");
  table
      .add_parsed(
          "--size, -r", "WxH", "picture size, or its width alone",
          [&o](const std::string& text) { parse_size(text, o.width, o.height); },
          [&o] { return size_text(o.width, o.height); })
      .common();
  table.add("--fov", o.fov_deg, "DEGREES", "vertical field of view; 0: the cameras' own")
      .range(0, 170);
  table.add("--frames", o.frames, "N", "of a turntable, a motion or a path of keyframes")
      .range(1, 100000)
      .common();
}

RenderViews render_views(const ViewOptions& options, core::GaussianScene& scene, core::Log& log) {
  check_one_way(options);
  if (!options.motion.empty()) {
    throw core::UsageError("--motion",
                           "it is of multiplane images; of a Gaussian scene give --turntable or "
                           "--path");
  }
  const Vec3<double> origin_as_read = origin_of(scene);
  const KnownCameras known = known_cameras(options, scene, log);
  const Vec3<double> shift = origin_of(scene) - origin_as_read;
  RenderViews result;
  const bool elsewhere = options.turntable || !options.path.empty() || !options.camera.empty();
  if (!elsewhere && !options.capture.empty()) {
    const std::vector<std::string> names = picture_names(known.names);
    for (size_t i = 0; i < names.size(); ++i) {
      result.views.push_back(
          {names[i],
           {with_size_and_fov(known.cameras[i].camera, options), known.cameras[i].cam_from_world}});
    }
    return result;
  }
  const core::Camera camera = with_size_and_fov(
      known.cameras.empty() ? pinhole(960, 540, kFovDeg) : known.cameras[0].camera, options);
  const SceneFrame frame = frame_of(scene, known, options, camera, log);
  if (!options.path.empty()) {
    result = views_on_path(options, camera, frame.up, shift);
  } else if (!options.camera.empty()) {
    result.views = numbered({single_camera(options, known, camera, frame, shift)});
  } else {
    result.views = numbered(turntable(frame, camera, options.turntable ? options.frames : 1));
  }
  return result;
}

RenderViews render_views(const ViewOptions& options, const core::MultiplaneImage& image) {
  check_one_way(options);
  if (options.turntable || !options.capture.empty()) {
    throw core::UsageError(options.turntable ? "--turntable" : "--capture",
                           "a multiplane image is seen from before it: give --motion, --path, "
                           "--camera, or none of them for the view of its photo");
  }
  const core::PosedCamera& reference = image.camera;
  const core::Camera camera = with_size_and_fov(reference.camera, options);
  const Vec3<double> up = transpose(reference.cam_from_world.rotation) * Vec3<double>{0, -1, 0};
  if (!options.path.empty()) return views_on_path(options, camera, up, {0, 0, 0});
  if (!options.motion.empty()) {
    const Viewpoint viewpoint = {{camera, reference.cam_from_world},
                                 median_inverse_depth(image),
                                 options.amount * usual_reach(image)};
    return {numbered(motion_path(viewpoint, options.motion, options.frames)), 0};
  }
  if (options.camera.empty()) return {numbered({{camera, reference.cam_from_world}}), 0};
  const auto placed = camera_in_numbers(options, camera, up, {0, 0, 0});
  if (placed) return {numbered({*placed}), 0};
  throw core::UsageError("--camera", fmt::format("\"{}\" is no position and target such as "
                                                 "0.1,0,0,0.1,0,1",
                                                 options.camera));
}

}  // namespace tessera::apps
