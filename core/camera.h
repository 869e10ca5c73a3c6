// A camera as captures give it: COLMAP's models and names, the pose as cam_from_world.
//
// Axes x right, y down, z forward; pixel centres at (0.5, 0.5); sizes in pixels.
// Projection and its inverse for every model stand in core/math/camera.h.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "core/math/camera.h"
#include "core/math/mat.h"
#include "core/math/vec.h"

namespace tessera::core {

// The numbers are COLMAP's model ids.
enum class CameraModel : int {
  kSimplePinhole = 0,        // f cx cy
  kPinhole = 1,              // fx fy cx cy
  kSimpleRadial = 2,         // f cx cy k
  kRadial = 3,               // f cx cy k1 k2
  kOpenCv = 4,               // fx fy cx cy k1 k2 p1 p2
  kOpenCvFisheye = 5,        // fx fy cx cy k1 k2 k3 k4
  kFullOpenCv = 6,           // fx fy cx cy k1 k2 p1 p2 k3 k4 k5 k6
  kFov = 7,                  // fx fy cx cy omega
  kSimpleRadialFisheye = 8,  // f cx cy k
  kRadialFisheye = 9,        // f cx cy k1 k2
  kThinPrismFisheye = 10,    // fx fy cx cy k1 k2 p1 p2 k3 k4 sx1 sy1
};

// Focal lengths and principal point always stand in fx, fy, cx, cy; what a model has beyond them
// stands in `distortion`, in COLMAP's order, zero where the model has fewer.
struct Camera {
  CameraModel model = CameraModel::kPinhole;
  int width = 0;
  int height = 0;
  double fx = 0, fy = 0, cx = 0, cy = 0;
  std::array<double, 8> distortion = {};

  friend bool operator==(const Camera&, const Camera&) = default;
};

// Rigid motion: x_b = rotation * x_a + translation for a transform named b_from_a.
struct Rigid {
  math::Mat3<double> rotation = math::Mat3<double>::identity();
  math::Vec3<double> translation = {0, 0, 0};

  Rigid inverse() const {
    const math::Mat3<double> rt = transpose(rotation);
    return {rt, -(rt * translation)};
  }
};

// The camera's center in the world, given cam_from_world.
inline math::Vec3<double> center_in_world(const Rigid& cam_from_world) {
  return -(transpose(cam_from_world.rotation) * cam_from_world.translation);
}

// A camera and where it stands.
struct PosedCamera {
  Camera camera;
  Rigid cam_from_world;
};

// What projects and unprojects pixels of this camera.
math::Lens<double> lens_of(const Camera& camera);

// Whether straight lines stay straight: a pinhole model, or another one whose distortion is zero.
bool is_pinhole(const Camera& camera);

// The same camera for a picture of another size; focal lengths and principal point follow the true
// ratios new/old in x and y.
Camera scaled(const Camera& camera, int new_width, int new_height);

std::string_view name_of(CameraModel model);      // COLMAP's name, "SIMPLE_PINHOLE"
int parameter_count(CameraModel model);           // as COLMAP counts, focal and centre included
bool has_single_focal_length(CameraModel model);  // f instead of fx fy

}  // namespace tessera::core
