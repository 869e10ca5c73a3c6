// SPDX-License-Identifier: MIT
#include "assets/captures/colmap_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr uint64_t kMaxSide = 65535;  // pixels

bool has_pair(const std::filesystem::path& folder, const char* extension) {
  return std::filesystem::is_regular_file(folder / (std::string("cameras") + extension)) &&
         std::filesystem::is_regular_file(folder / (std::string("images") + extension));
}

}  // namespace

bool has_colmap_model(const std::filesystem::path& folder) {
  return has_pair(folder, ".bin") || has_pair(folder, ".txt");
}

ColmapModel read_colmap_model(const std::filesystem::path& folder) {
  ColmapModel model =
      has_pair(folder, ".bin") ? read_colmap_binary(folder) : read_colmap_text(folder);
  for (const ColmapImage& image : model.images) {
    if (!model.cameras.contains(image.camera_id)) {
      throw core::IoError(folder, fmt::format("image {} (\"{}\") names camera {}, which is not in "
                                              "the model; export the model again",
                                              image.id, image.name, image.camera_id));
    }
  }
  std::sort(model.points.begin(), model.points.end(),
            [](const ColmapPoint& a, const ColmapPoint& b) { return a.id < b.id; });
  return model;
}

core::Camera make_colmap_camera(const std::filesystem::path& file, const std::string& where,
                                core::CameraModel model, uint64_t width, uint64_t height,
                                const double* parameters) {
  core::Camera camera;
  camera.model = model;
  if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide) {
    throw core::IoError(file, fmt::format("{} is {} x {} pixels in size, which cannot be; sides "
                                          "are 1 to {}",
                                          where, width, height, kMaxSide));
  }
  camera.width = static_cast<int>(width);
  camera.height = static_cast<int>(height);
  const int count = core::parameter_count(model);
  for (int i = 0; i < count; ++i) {
    if (!std::isfinite(parameters[i])) {
      throw core::IoError(file, where + " has a parameter that is not a number");
    }
  }
  const int focals = core::has_single_focal_length(model) ? 1 : 2;
  camera.fx = parameters[0];
  camera.fy = parameters[focals - 1];
  camera.cx = parameters[focals];
  camera.cy = parameters[focals + 1];
  std::copy(parameters + focals + 2, parameters + count, camera.distortion.begin());
  if (!(camera.fx > 0 && camera.fy > 0)) {
    throw core::IoError(file, where + " has a focal length that is not positive");
  }
  return camera;
}

core::Rigid make_colmap_pose(const std::filesystem::path& file, const std::string& where,
                             const std::array<double, 4>& quaternion_wxyz,
                             const std::array<double, 3>& translation) {
  auto [w, x, y, z] = quaternion_wxyz;
  const double norm = std::sqrt(w * w + x * x + y * y + z * z);
  if (!std::isfinite(norm) || norm < 1e-12) {
    throw core::IoError(file, where + " has no rotation (its quaternion is zero or not a number)");
  }
  if (!std::all_of(translation.begin(), translation.end(),
                   [](double value) { return std::isfinite(value); })) {
    throw core::IoError(file, where + " has a position that is not a number");
  }
  w /= norm;
  x /= norm;
  y /= norm;
  z /= norm;
  core::Rigid pose;
  pose.rotation = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                    {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                    {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
  pose.translation = {translation[0], translation[1], translation[2]};
  return pose;
}

void refuse_colmap_camera(const std::filesystem::path& file, const std::string& where,
                          const std::string& model) {
  throw core::IoError(
      file, fmt::format("{} has camera model {}, which is not one of COLMAP's models 0 to 10; run "
                        "`colmap image_undistorter` and use its output, or reconstruct with "
                        "--ImageReader.camera_model OPENCV",
                        where, model));
}

void add_colmap_point(ColmapModel& model, const ColmapPoint& point) {
  const math::Vec3<double>& p = point.point.position;
  if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) {
    model.points.push_back(point);
  } else {
    ++model.dropped_points;
  }
}

}  // namespace tessera::assets
