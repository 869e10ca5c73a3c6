// SPDX-License-Identifier: MIT
#include "assets/captures/transforms_camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assets/photos/image_io.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr double kMaxSide = 65535;  // pixels

int side(const FrameFields& fields, const char* field, double value) {
  if (!(value >= 1 && value <= kMaxSide)) {
    fields.fail(fmt::format("has {} = {}, which is no size in pixels", field, value));
  }
  return static_cast<int>(std::lround(value));
}

// Sets the size from w and h, or from the photo's header.
void set_size(const FrameFields& fields, const std::filesystem::path& photo, core::Camera& camera) {
  const std::optional<double> w = fields.number("w");
  const std::optional<double> h = fields.number("h");
  if (w && h) {
    camera.width = side(fields, "w", *w);
    camera.height = side(fields, "h", *h);
    return;
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(photo, ignored)) return;
  try {
    const ImageInfo info = probe_image(photo);
    camera.width = info.width;
    camera.height = info.height;
  } catch (const core::IoError&) {  // named with all other bad photos when they are opened
  }
}

double focal_of_angle(const FrameFields& fields, const char* field, double angle, int size) {
  constexpr double kPi = 3.14159265358979323846;
  if (!(angle > 0 && angle < kPi)) {
    fields.fail(fmt::format("has {} = {}, which is not an angle in radians between 0 and pi", field,
                            angle));
  }
  return size / (2 * std::tan(angle / 2));
}

void set_focal_lengths(const FrameFields& fields, core::Camera& camera) {
  const std::optional<double> fl_x = fields.number("fl_x");
  const std::optional<double> fl_y = fields.number("fl_y");
  const std::optional<double> angle_x = fields.number("camera_angle_x");
  const std::optional<double> angle_y = fields.number("camera_angle_y");
  if (!fl_x && !fl_y && !angle_x && !angle_y) {
    fields.fail(
        "has no intrinsics; give fl_x (pixels) or camera_angle_x (radians), at the root or "
        "in the frame");
  }
  const auto focal = [&](const std::optional<double>& length, const std::optional<double>& angle,
                         const char* field, int size) -> std::optional<double> {
    if (length) return length;
    if (angle) return focal_of_angle(fields, field, *angle, size);
    return std::nullopt;
  };
  const auto fx = focal(fl_x, angle_x, "camera_angle_x", camera.width);
  // A length in x counts more than an angle in y: pixels are square unless fl_y says otherwise.
  const auto fy = fl_x && !fl_y ? fl_x : focal(fl_y, angle_y, "camera_angle_y", camera.height);
  camera.fx = fx ? *fx : *fy;
  camera.fy = fy ? *fy : *fx;
  if (camera.width > 0 && !(camera.fx > 0 && camera.fy > 0)) {
    fields.fail("has a focal length that is not positive");
  }
}

void set_distortion(const FrameFields& fields, core::Camera& camera) {
  const std::string model = fields.text("camera_model");
  const bool fisheye = model == "OPENCV_FISHEYE" || fields.flag("is_fisheye");
  const bool perspective = model.empty() || model == "OPENCV" || model == "PINHOLE" ||
                           model == "SIMPLE_PINHOLE" || model == "SIMPLE_RADIAL" ||
                           model == "RADIAL" || model == "PERSPECTIVE";
  if (!fisheye && !perspective) {
    fields.fail(
        fmt::format("has camera_model {}, which is not read (OPENCV, OPENCV_FISHEYE, "
                    "PINHOLE and SIMPLE_PINHOLE are); {}",
                    model,
                    model == "EQUIRECTANGULAR" ? "cut the panoramas into perspective pictures first"
                                               : "convert the cameras to one of those"));
  }
  const double k1 = fields.number_or("k1", 0);
  const double k2 = fields.number_or("k2", 0);
  const double k3 = fields.number_or("k3", 0);
  const double k4 = fields.number_or("k4", 0);
  const double p1 = fields.number_or("p1", 0);
  const double p2 = fields.number_or("p2", 0);
  if (fisheye) {
    camera.model = core::CameraModel::kOpenCvFisheye;
    camera.distortion = {k1, k2, k3, k4};
  } else if (k4 != 0) {
    fields.fail(
        "has k4, which a perspective camera does not have; set camera_model to "
        "OPENCV_FISHEYE if it is a fisheye");
  } else if (k3 != 0) {
    camera.model = core::CameraModel::kFullOpenCv;
    camera.distortion = {k1, k2, p1, p2, k3};
  } else if (k1 != 0 || k2 != 0 || p1 != 0 || p2 != 0) {
    camera.model = core::CameraModel::kOpenCv;
    camera.distortion = {k1, k2, p1, p2};
  }
}

}  // namespace

const nlohmann::json* FrameFields::find(const char* field) const {
  for (const nlohmann::json* object : {&frame_, &root_}) {
    const auto found = object->find(field);
    if (found != object->end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

std::optional<double> FrameFields::number(const char* field) const {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    fail(fmt::format("has a {} that is not a number", field));
  }
  return value->get<double>();
}

double FrameFields::number_or(const char* field, double otherwise) const {
  return number(field).value_or(otherwise);
}

std::string FrameFields::text(const char* field) const {
  const nlohmann::json* value = find(field);
  return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

bool FrameFields::flag(const char* field) const {
  const nlohmann::json* value = find(field);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

void FrameFields::fail(const std::string& what) const {
  throw core::IoError(file_, fmt::format("frame \"{}\" {}", frame_name_, what));
}

core::Camera transforms_camera(const FrameFields& fields, const std::filesystem::path& photo) {
  core::Camera camera;
  set_distortion(fields, camera);
  set_size(fields, photo, camera);
  set_focal_lengths(fields, camera);
  camera.cx = fields.number_or("cx", camera.width / 2.0);
  camera.cy = fields.number_or("cy", camera.height / 2.0);
  return camera;
}

}  // namespace tessera::assets
