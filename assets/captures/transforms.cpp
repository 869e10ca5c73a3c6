// transforms.json: frames with camera-to-world matrices in OpenGL's camera axes (x right, y up, z
// back). Worlds stay as they are; only camera axes are turned.
// Formats: https://docs.nerf.studio/quickstart/data_conventions.html and instant-ngp's docs.
// SPDX-License-Identifier: MIT
#include "assets/captures/transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "assets/captures/colmap.h"
#include "assets/captures/transforms_camera.h"
#include "assets/captures/view_files.h"
#include "assets/io.h"
#include "assets/json_text.h"
#include "core/count_text.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMaxJsonBytes = uint64_t{1} << 30;

json read_frames_file(const fs::path& file) {
  json root = parse_json(core::read_text_file(file, kMaxJsonBytes), file);
  const auto frames = root.is_object() ? root.find("frames") : root.end();
  if (!root.is_object() || frames == root.end() || !frames->is_array()) {
    throw core::IoError(file, "has no list \"frames\"; it is not a transforms.json");
  }
  return root;
}

// rows x 4 numbers, or nullopt if `value` is anything else.
std::optional<std::vector<std::array<double, 4>>> matrix_of(const json& value, size_t rows) {
  if (!value.is_array() || value.size() < rows) return std::nullopt;
  std::vector<std::array<double, 4>> matrix(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_array() || value[i].size() != 4) return std::nullopt;
    for (size_t j = 0; j < 4; ++j) {
      if (!value[i][j].is_number()) return std::nullopt;
      matrix[i][j] = value[i][j].get<double>();
      if (!std::isfinite(matrix[i][j])) return std::nullopt;
    }
  }
  return matrix;
}

// The nearest rotation, by Newton's iteration for the polar decomposition.
math::Mat3<double> nearest_rotation(math::Mat3<double> a) {
  for (int iteration = 0; iteration < 12; ++iteration) {
    const double inverse_determinant = 1 / determinant(a);
    math::Mat3<double> next;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int i1 = (i + 1) % 3;
        const int i2 = (i + 2) % 3;
        const int j1 = (j + 1) % 3;
        const int j2 = (j + 2) % 3;
        const double cofactor = a.m[i1][j1] * a.m[i2][j2] - a.m[i1][j2] * a.m[i2][j1];
        next.m[i][j] = 0.5 * (a.m[i][j] + cofactor * inverse_determinant);
      }
    }
    a = next;
  }
  return a;
}

// cam_from_world of a camera-to-world matrix in OpenGL's camera axes. Some writers scale the whole
// matrix, so everything is divided by its last element and the rotation's scale taken out.
core::Rigid pose_of(const FrameFields& fields, const json& frame) {
  const auto found = frame.find("transform_matrix");
  if (found == frame.end()) fields.fail("has no transform_matrix");
  const auto matrix = matrix_of(*found, 3);
  if (!matrix) fields.fail("has a transform_matrix that is not 4 x 4 numbers");
  const double w = matrix->size() > 3 ? (*matrix)[3][3] : 1;
  if (std::abs(w) < 1e-12) fields.fail("has a transform_matrix whose last element is 0");
  math::Mat3<double> rotation;
  core::Rigid world_from_cam;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rotation.m[i][j] = (*matrix)[i][j] / w;
  }
  world_from_cam.translation = {(*matrix)[0][3] / w, (*matrix)[1][3] / w, (*matrix)[2][3] / w};
  const double scale = std::cbrt(determinant(rotation));
  if (!(scale > 1e-9)) {
    fields.fail(
        "has a transform_matrix that mirrors or flattens space; it must be a rotation and "
        "a position");
  }
  for (auto& row : rotation.m) {
    for (double& value : row) value /= scale;
  }
  world_from_cam.rotation = nearest_rotation(rotation);
  constexpr double kMaxSkew = 0.01;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (!(std::abs(world_from_cam.rotation.m[i][j] - rotation.m[i][j]) < kMaxSkew)) {
        fields.fail(
            "has a transform_matrix that skews space; it must be a rotation and a position");
      }
    }
    world_from_cam.rotation.m[i][1] *= -1;  // y up to y down
    world_from_cam.rotation.m[i][2] *= -1;  // z back to z forward
  }
  return world_from_cam.inverse();
}

// "./images\\a.png" -> "images/a.png"
std::string plain_name(std::string file_path) {
  std::replace(file_path.begin(), file_path.end(), '\\', '/');
  return fs::path(file_path).lexically_normal().generic_string();
}

// Where the photo `name` lies: beside the file, or below the folder given by --images.
fs::path photo_path(const fs::path& folder, const std::string& name,
                    const CaptureOptions& options) {
  if (options.images.empty()) return folder / name;
  const fs::path relative(name);
  fs::path below;
  for (auto part = std::next(relative.begin()); part != relative.end(); ++part) below /= *part;
  const fs::path beside = options.images / (below.empty() ? relative : below);
  return fs::exists(beside) ? beside : options.images / relative.filename();
}

core::CaptureView view_of(const fs::path& file, const json& root, const json& frame, size_t index,
                          const CaptureOptions& options) {
  if (!frame.is_object()) {
    throw core::IoError(file, fmt::format("frame {} is not an object", index));
  }
  const auto path = frame.find("file_path");
  if (path == frame.end() || !path->is_string() || path->get<std::string>().empty()) {
    throw core::IoError(file, fmt::format("frame {} has no file_path", index));
  }
  const fs::path folder = file.parent_path();
  core::CaptureView view;
  view.name = plain_name(path->get<std::string>());
  const FrameFields fields(file, root, frame, view.name);
  view.image_path = photo_path(folder, view.name, options);
  const auto named = [&](const char* field) {
    const auto found = frame.find(field);
    return found != frame.end() && found->is_string()
               ? folder / plain_name(found->get<std::string>())
               : fs::path();
  };
  view.mask_path = named("mask_path");
  view.depth_path = named("depth_file_path");
  view.cam_from_world = pose_of(fields, frame);
  view.camera = transforms_camera(fields, find_photo(view.image_path));
  return view;
}

void read_frames(const fs::path& file, const json& root, bool is_test,
                 const CaptureOptions& options, core::Capture& capture) {
  const json& frames = root["frames"];
  for (size_t i = 0; i < frames.size(); ++i) {
    capture.views.push_back(view_of(file, root, frames[i], i, options));
    capture.views.back().is_test = is_test;
  }
}

void mark_test_views(const json& root, core::Capture& capture) {
  const auto list = root.find("test_filenames");
  if (list == root.end() || !list->is_array()) return;
  std::set<std::string> names;
  for (const json& name : *list) {
    if (name.is_string()) names.insert(plain_name(name.get<std::string>()));
  }
  for (core::CaptureView& view : capture.views) view.is_test = names.contains(view.name);
}

// Points of the COLMAP model that nerfstudio keeps beside the file, moved as its frames were.
void read_colmap_points_beside(const json& root, core::Capture& capture) {
  const auto found = root.find("applied_transform");
  const auto transform = found != root.end() ? matrix_of(*found, 3) : std::nullopt;
  if (!transform || !probe_colmap(capture.folder / "colmap")) return;
  capture.points = read_colmap_points(capture.folder / "colmap", capture.warnings);
  const auto row = [&](int i, const math::Vec3<double>& p) {
    const std::array<double, 4>& r = (*transform)[i];
    return r[0] * p.x + r[1] * p.y + r[2] * p.z + r[3];
  };
  for (core::ColoredPoint& point : capture.points) {
    const math::Vec3<double> p = point.position;
    point.position = {row(0, p), row(1, p), row(2, p)};
  }
  capture.notes.push_back(
      fmt::format("Taken from the COLMAP model in {}: {}.", (capture.folder / "colmap").string(),
                  core::plural(static_cast<int64_t>(capture.points.size()), "point")));
}

// The points that ply_file_path names stand in the frames' world already.
void read_start_points(const json& root, core::Capture& capture) {
  const auto found = root.find("ply_file_path");
  if (found == root.end() || !found->is_string()) {
    read_colmap_points_beside(root, capture);
    return;
  }
  const fs::path file = capture.folder / plain_name(found->get<std::string>());
  if (!fs::exists(file)) {
    capture.warnings.push_back(
        fmt::format("{}, which ply_file_path names, is missing on disk.", file.string()));
    return;
  }
  PointCloud cloud = read_points(file);
  capture.points = std::move(cloud.points);
  capture.notes.insert(capture.notes.end(), cloud.notes.begin(), cloud.notes.end());
}

fs::path json_file(const fs::path& path) {
  return fs::is_directory(path) ? path / "transforms.json" : path;
}

}  // namespace

bool probe_transforms(const fs::path& path) {
  const fs::path file = json_file(path);
  return file.extension() == ".json" && fs::is_regular_file(file);
}

core::Capture read_transforms(const fs::path& path, const CaptureOptions& options) {
  const fs::path file = json_file(path);
  const json root = read_frames_file(file);
  core::Capture capture;
  capture.folder = file.parent_path();
  capture.kind = "transforms.json";
  read_frames(file, root, false, options, capture);
  mark_test_views(root, capture);
  read_start_points(root, capture);
  return capture;
}

bool probe_blender(const fs::path& path) {
  return fs::is_regular_file(path / "transforms_train.json");
}

core::Capture read_blender(const fs::path& path, const CaptureOptions& options) {
  core::Capture capture;
  capture.folder = path;
  capture.kind = "Blender";
  capture.alpha_is_opacity = true;
  read_frames(path / "transforms_train.json", read_frames_file(path / "transforms_train.json"),
              false, options, capture);
  const fs::path test = path / "transforms_test.json";
  const fs::path validation = path / "transforms_val.json";
  const bool has_test = fs::exists(test);
  if (has_test) {
    read_frames(test, read_frames_file(test), true, options, capture);
    if (fs::exists(validation)) {
      capture.notes.emplace_back(
          "transforms_val.json is not used, because transforms_test.json says what is held out.");
    }
  } else if (fs::exists(validation)) {
    read_frames(validation, read_frames_file(validation), true, options, capture);
    capture.notes.emplace_back(
        "The photos of transforms_val.json are held out, because there is no "
        "transforms_test.json.");
  }
  return capture;
}

}  // namespace tessera::assets
