// SPDX-License-Identifier: MIT
#include "core/camera.h"

#include <algorithm>

namespace tessera::core {
namespace {

struct ModelRow {
  std::string_view name;
  int parameter_count;
  bool single_focal_length;
};

constexpr ModelRow kModels[] = {
    {"SIMPLE_PINHOLE", 3, true},
    {"PINHOLE", 4, false},
    {"SIMPLE_RADIAL", 4, true},
    {"RADIAL", 5, true},
    {"OPENCV", 8, false},
    {"OPENCV_FISHEYE", 8, false},
    {"FULL_OPENCV", 12, false},
    {"FOV", 5, false},
    {"SIMPLE_RADIAL_FISHEYE", 4, true},
    {"RADIAL_FISHEYE", 5, true},
    {"THIN_PRISM_FISHEYE", 12, false},
};

}  // namespace

math::Lens<double> lens_of(const Camera& camera) {
  return math::make_lens(static_cast<int>(camera.model), camera.fx, camera.fy, camera.cx, camera.cy,
                         camera.distortion.data());
}

bool is_pinhole(const Camera& camera) {
  if (camera.model == CameraModel::kSimplePinhole || camera.model == CameraModel::kPinhole) {
    return true;
  }
  return !lens_of(camera).warped && std::all_of(camera.distortion.begin(), camera.distortion.end(),
                                                [](double value) { return value == 0; });
}

Camera scaled(const Camera& camera, int new_width, int new_height) {
  const double sx = static_cast<double>(new_width) / camera.width;
  const double sy = static_cast<double>(new_height) / camera.height;
  Camera result = camera;
  result.width = new_width;
  result.height = new_height;
  result.fx *= sx;
  result.cx *= sx;
  result.fy *= sy;
  result.cy *= sy;
  return result;
}

std::string_view name_of(CameraModel model) {
  return kModels[static_cast<int>(model)].name;
}

int parameter_count(CameraModel model) {
  return kModels[static_cast<int>(model)].parameter_count;
}

bool has_single_focal_length(CameraModel model) {
  return kModels[static_cast<int>(model)].single_focal_length;
}

}  // namespace tessera::core
