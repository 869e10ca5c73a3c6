// SPDX-License-Identifier: MIT
#include "apps/commands/camera_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/camera_curve.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

using Json = nlohmann::json;
using math::Vec3;

constexpr double kDegree = std::numbers::pi / 180;
constexpr uint64_t kMaxPathBytes = 256 << 20;
constexpr double kMostNumber = 1e12;  // its square and its cube are floats still
constexpr double kLeastFovDeg = 0.01, kMostFovDeg = 179;
constexpr double kLeastFocal = 0.01, kMostFocal = 1e7;  // pixels
constexpr double kMostSkew = 0.02;  // of a rotation's elements: files have few digits
constexpr double kMostFramesPerSecond = 1000;

// Whether a camera at one looks at the other in no direction.
bool same_place(Vec3<double> a, Vec3<double> b) {
  return dot(a - b, a - b) < 1e-24;
}

// One entry of a path file, and how to say what is wrong with it.
struct Entry {
  const std::filesystem::path& path;
  size_t index;
  const Json& json;

  [[noreturn]] void refuse(const std::string& what) const {
    throw core::IoError(path, fmt::format("entry {} of the camera path {}", index, what));
  }
  double number(const Json& value, const char* key) const {
    if (!value.is_number() || !(std::abs(value.get<double>()) <= kMostNumber)) {
      refuse(fmt::format("has no usable number in \"{}\"", key));
    }
    return value.get<double>();
  }
  std::optional<double> number(const char* key) const {
    if (!json.contains(key)) return std::nullopt;
    return number(json[key], key);
  }
  Vec3<double> vector(const Json& value, const char* key) const {
    if (!value.is_array() || value.size() != 3) {
      refuse(fmt::format("needs three numbers in \"{}\"", key));
    }
    return {number(value[0], key), number(value[1], key), number(value[2], key)};
  }
  double number_within(const char* key, double least, double most, double otherwise) const {
    const double value = number(key).value_or(otherwise);
    if (value < least || value > most) {
      refuse(fmt::format("has \"{}\" outside {} to {}", key, least, most));
    }
    return value;
  }
  double fov(const char* key, double otherwise) const {
    return number_within(key, kLeastFovDeg, kMostFovDeg, otherwise);
  }
  // A matrix may be a rotation times a scale, which changes no picture.
  math::Mat3<double> rotation(math::Mat3<double> m, const char* key) const {
    const double scale = std::cbrt(determinant(m));
    bool is_rotation = scale > 1e-6;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m.m[i][j] /= scale;
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        double product = 0;
        for (int k = 0; k < 3; ++k) product += m.m[i][k] * m.m[j][k];
        is_rotation = is_rotation && std::abs(product - (i == j ? 1 : 0)) < kMostSkew;
      }
    }
    if (!is_rotation) refuse(fmt::format("has a matrix that is no rotation in \"{}\"", key));
    return m;
  }
  Vec3<double> vector(const char* key) const {
    if (!json.is_object() || !json.contains(key)) refuse(fmt::format("has no \"{}\"", key));
    return vector(json[key], key);
  }
};

std::vector<core::PosedCamera> through_keyframes(const std::filesystem::path& path,
                                                 const std::vector<core::CameraKey>& keys,
                                                 const core::Camera& camera, int frames) {
  std::vector<core::PosedCamera> cameras;
  const int last = static_cast<int>(keys.size()) - 1;
  for (int i = 0; i < frames; ++i) {
    const double at = frames > 1 ? static_cast<double>(last) * i / (frames - 1) : 0;
    const core::CameraKey key = core::on_curve(keys, at);
    if (same_place(key.position, key.target)) {
      const int k = std::min(static_cast<int>(at), std::max(last - 1, 0));
      throw core::IoError(path,
                          fmt::format("frame {} of the curve, between entries {} and {}, looks "
                                      "at the place where it stands; move one of them",
                                      i, k, k + 1));
    }
    cameras.push_back({pinhole(camera.width, camera.height, key.fov_deg),
                       look_at(key.position, key.target, key.up)});
  }
  return cameras;
}

std::vector<core::PosedCamera> read_keyframes(const std::filesystem::path& path, const Json& list,
                                              const core::Camera& camera, int frames,
                                              Vec3<double> up, Vec3<double> shift) {
  std::vector<core::CameraKey> keys;
  for (size_t i = 0; i < list.size(); ++i) {
    const Entry entry = {path, i, list[i]};
    core::CameraKey key = {entry.vector("position") - shift, entry.vector("look_at") - shift, up,
                           entry.fov("fov_deg", fov_y_deg(camera))};
    if (entry.json.contains("up")) key.up = entry.vector("up");
    if (same_place(key.position, key.target)) {
      entry.refuse("has \"look_at\" where \"position\" is, which is no direction");
    }
    if (same_place(key.up, {0, 0, 0})) entry.refuse("has no direction in \"up\"");
    keys.push_back(key);
  }
  return through_keyframes(path, keys, camera, frames);
}

std::vector<core::PosedCamera> read_nerfstudio(const std::filesystem::path& path, const Json& list,
                                               const core::Camera& camera, Vec3<double> shift) {
  std::vector<core::PosedCamera> cameras;
  for (size_t i = 0; i < list.size(); ++i) {
    const Entry entry = {path, i, list[i]};
    const char* key = "camera_to_world";
    if (!entry.json.is_object() || !entry.json.contains(key) || !entry.json[key].is_array() ||
        entry.json[key].size() != 16) {
      entry.refuse("needs 16 numbers in \"camera_to_world\"");
    }
    double m[16];
    for (int j = 0; j < 16; ++j) m[j] = entry.number(entry.json[key][j], key);
    // OpenGL's camera axes: y up and z backwards.
    core::Rigid world_from_cam;
    world_from_cam.rotation =
        entry.rotation({{{m[0], -m[1], -m[2]}, {m[4], -m[5], -m[6]}, {m[8], -m[9], -m[10]}}}, key);
    world_from_cam.translation = Vec3<double>{m[3], m[7], m[11]} - shift;
    const double fov = entry.fov("fov", fov_y_deg(camera));
    cameras.push_back({pinhole(camera.width, camera.height, fov), world_from_cam.inverse()});
  }
  return cameras;
}

PathFile read_photo_cameras(const std::filesystem::path& path, const Json& list,
                            Vec3<double> shift) {
  PathFile file;
  for (size_t i = 0; i < list.size(); ++i) {
    const Entry entry = {path, i, list[i]};
    core::Rigid world_from_cam;
    world_from_cam.translation = entry.vector("position") - shift;
    const Json& rotation = entry.json.contains("rotation") ? entry.json["rotation"] : Json();
    if (!rotation.is_array() || rotation.size() != 3) entry.refuse("needs a 3x3 \"rotation\"");
    for (int r = 0; r < 3; ++r) {
      const Vec3<double> values = entry.vector(rotation[r], "rotation");
      world_from_cam.rotation.m[r][0] = values.x;
      world_from_cam.rotation.m[r][1] = values.y;
      world_from_cam.rotation.m[r][2] = values.z;
    }
    world_from_cam.rotation = entry.rotation(world_from_cam.rotation, "rotation");
    core::Camera camera;
    camera.width = static_cast<int>(entry.number_within("width", 1, kMostPixelsASide, 0));
    camera.height = static_cast<int>(entry.number_within("height", 1, kMostPixelsASide, 0));
    camera.fx = entry.number_within("fx", kLeastFocal, kMostFocal, 0);
    camera.fy = entry.number_within("fy", kLeastFocal, kMostFocal, 0);
    camera.cx = entry.number_within("cx", -kMostFocal, kMostFocal, camera.width / 2.0);
    camera.cy = entry.number_within("cy", -kMostFocal, kMostFocal, camera.height / 2.0);
    file.cameras.push_back({camera, world_from_cam.inverse()});
    const Json& name = entry.json.contains("img_name") ? entry.json["img_name"] : Json();
    file.names.push_back(name.is_string() ? name.get<std::string>() : "");
  }
  return file;
}

}  // namespace

core::Camera pinhole(int width, int height, double fov_y) {
  core::Camera camera;
  camera.width = width;
  camera.height = height;
  camera.fx = camera.fy = 0.5 * height / std::tan(0.5 * fov_y * kDegree);
  camera.cx = 0.5 * width;
  camera.cy = 0.5 * height;
  return camera;
}

double fov_y_deg(const core::Camera& camera) {
  return 2 * std::atan(0.5 * camera.height / camera.fy) / kDegree;
}

std::vector<core::PosedCamera> turntable(const SceneFrame& frame, const core::Camera& camera,
                                         int frames) {
  const Vec3<double> right = cross(frame.forward, frame.up);
  std::vector<core::PosedCamera> cameras;
  for (int i = 0; i < frames; ++i) {
    const double angle = 2 * std::numbers::pi * i / frames;
    const Vec3<double> away = right * std::sin(angle) - frame.forward * std::cos(angle);
    const Vec3<double> position = frame.center + away * frame.distance + frame.up * frame.height;
    cameras.push_back({camera, look_at(position, frame.center, frame.up)});
  }
  return cameras;
}

PathFile read_camera_path(const std::filesystem::path& path, const core::Camera& camera, int frames,
                          Vec3<double> up, Vec3<double> shift) {
  const Json json = Json::parse(core::read_text_file(path, kMaxPathBytes), nullptr, false);
  if (json.is_discarded()) throw core::IoError(path, "it is not JSON; see tessera render --help");
  PathFile file;
  const auto list = [&](const char* key) -> const Json* {
    return json.is_object() && json.contains(key) && json[key].is_array() && !json[key].empty()
               ? &json[key]
               : nullptr;
  };
  if (const Json* keyframes = list("keyframes")) {
    file.cameras = read_keyframes(path, *keyframes, camera, frames, up, shift);
  } else if (const Json* frames_given = list("camera_path")) {
    file.cameras = read_nerfstudio(path, *frames_given, camera, shift);
  } else if (json.is_array() && !json.empty()) {
    file = read_photo_cameras(path, json, shift);
  } else {
    throw core::IoError(path,
                        "it holds neither \"keyframes\", \"camera_path\" nor a list of cameras; "
                        "see tessera render --help");
  }
  if (json.is_object() && json.contains("fps")) {
    const double rate = json["fps"].is_number() ? json["fps"].get<double>() : 0;
    if (!(rate > 0 && rate <= kMostFramesPerSecond)) {
      throw core::IoError(path, fmt::format("has \"fps\" that is not within 0 to {}; leave it out "
                                            "or give --fps",
                                            kMostFramesPerSecond));
    }
    file.frames_per_second = rate;
  }
  return file;
}

PathFile read_cameras_json(const std::filesystem::path& path) {
  return read_camera_path(path, {}, 0, {0, -1, 0}, {0, 0, 0});
}

std::vector<core::PosedCamera> cameras_beside(const std::filesystem::path& scene) {
  std::filesystem::path folder = std::filesystem::absolute(scene).parent_path();
  for (int level = 0; level < 3; ++level, folder = folder.parent_path()) {
    const std::filesystem::path path = folder / "cameras.json";
    if (!std::filesystem::is_regular_file(path)) continue;
    return read_cameras_json(path).cameras;
  }
  return {};
}

}  // namespace tessera::apps
