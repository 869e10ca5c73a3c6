// SPDX-License-Identifier: MIT
#include "viewer/camera/camera_controller.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/math/quat.h"

namespace tessera::viewer {
namespace {

using math::Mat3;
using math::Vec3;
using math::Vec4;

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kSettleSeconds = 0.06;  // in which e-fold of the way is gone
constexpr double kClosestToVertical = 0.999;
constexpr double kWheelStep = 0.88;  // of the distance is left

Vec3<double> unit(Vec3<double> v) {
  return v * (1 / std::sqrt(dot(v, v)));
}

// Around a unit axis, by Rodrigues' formula.
Mat3<double> rotation_about(Vec3<double> axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), d = 1 - c;
  const auto [x, y, z] = axis;
  return {{{c + d * x * x, d * x * y - s * z, d * x * z + s * y},
           {d * x * y + s * z, c + d * y * y, d * y * z - s * x},
           {d * x * z - s * y, d * y * z + s * x, c + d * z * z}}};
}

double radians_a_pixel(const ViewCamera& camera, int height) {
  return camera.fov_y * kRadians / height;
}

// World lengths a pixel shows at the pivot.
double length_a_pixel(const ViewCamera& camera, int height) {
  return 2 * std::tan(camera.fov_y * kRadians / 2) * camera.pivot_distance / height;
}

Mat3<double> between(const Mat3<double>& a, const Mat3<double>& b, double share) {
  const Vec4<double> p = math::quaternion_from_rotation(a);
  Vec4<double> q = math::quaternion_from_rotation(b);
  double cosine = dot(p, q);
  if (cosine < 0) {
    q = q * -1.0;
    cosine = -cosine;
  }
  const double angle = std::acos(std::min(1.0, cosine));
  if (angle < 1e-9) return b;
  const double s = std::sin(angle);
  return math::rotation_from_quaternion(p * (std::sin((1 - share) * angle) / s) +
                                        q * (std::sin(share * angle) / s));
}

double difference(const Mat3<double>& a, const Mat3<double>& b) {
  double most = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) most = std::max(most, std::abs(a.m[i][j] - b.m[i][j]));
  }
  return most;
}

}  // namespace

void CameraController::set_up(Vec3<double> up) {
  up_ = unit(up);
  level();
}

void CameraController::jump_to(const ViewCamera& camera) {
  current_ = target_ = camera;
}

void CameraController::turn(double around_up, double around_right, Vec3<double> fixed) {
  const double distance_fixed = dot(fixed - target_.center, target_.forward());
  // Not over the poles, unless it is there already.
  const double height = dot(target_.forward(), up_);
  const double lowest = -std::asin(kClosestToVertical), highest = std::asin(kClosestToVertical);
  const double pitch = std::asin(std::clamp(height, -1.0, 1.0));
  around_right =
      std::clamp(pitch + around_right, std::min(lowest, pitch), std::max(highest, pitch)) - pitch;
  const Mat3<double> turned =
      rotation_about(up_, around_up) * rotation_about(target_.right(), around_right);
  const Vec3<double> offset = target_.center - fixed;
  target_.rotation = target_.rotation * transpose(turned);
  target_.center = distance_fixed == 0 ? target_.center : fixed + turned * offset;
}

void CameraController::orbit(double dx, double dy, int height) {
  // Half a turn over the picture's height.
  const double scale = std::numbers::pi / height;
  turn(-dx * scale, -dy * scale, target_.pivot());
}

void CameraController::look(double dx, double dy, int height) {
  const double scale = radians_a_pixel(target_, height);
  const Vec3<double> stays = target_.center;
  turn(dx * scale, dy * scale, stays);
  target_.center = stays;
}

void CameraController::roll(double radians) {
  target_.rotation = rotation_about({0, 0, 1}, radians) * target_.rotation;
}

void CameraController::pan(double dx, double dy, int height) {
  const double scale = length_a_pixel(target_, height);
  target_.center = target_.center - (dx * scale) * target_.right() - (dy * scale) * target_.down();
}

void CameraController::dolly(double steps, math::Vec2<double> from_middle, int height) {
  const double left = std::pow(kWheelStep, steps);
  const double scale = length_a_pixel(target_, height);
  const Vec3<double> aim = target_.pivot() + (from_middle.x * scale) * target_.right() +
                           (from_middle.y * scale) * target_.down();
  target_.center = aim + left * (target_.center - aim);
  target_.pivot_distance *= left;
}

void CameraController::move(Vec3<double> by) {
  const double d = target_.pivot_distance;
  target_.center = target_.center + (by.x * d) * target_.right() + (by.y * d) * target_.down() +
                   (by.z * d) * target_.forward();
}

void CameraController::set_pivot(Vec3<double> point) {
  const double distance = dot(point - target_.center, target_.forward());
  if (distance <= 0) return;
  // Sideways the camera follows, so that what was chosen comes to the middle.
  target_.center = point - distance * target_.forward();
  target_.pivot_distance = distance;
}

void CameraController::frame(Vec3<double> center, double radius, double aspect) {
  const double half = target_.fov_y * kRadians / 2;
  const double narrower = aspect < 1 ? std::atan(std::tan(half) * aspect) : half;
  const double distance = std::max(radius, 1e-6) / std::sin(narrower);
  target_.center = center - distance * target_.forward();
  target_.pivot_distance = distance;
}

void CameraController::set_fov(double degrees) {
  target_.fov_y = std::clamp(degrees, 5.0, 140.0);
}

void CameraController::set_orthographic(bool on) {
  target_.orthographic = on;
  current_.orthographic = on;
}

void CameraController::level() {
  const ViewCamera upright = looking_at(target_.center, target_.pivot(), up_);
  target_.rotation = upright.rotation;
}

void CameraController::look_along(Vec3<double> direction) {
  const Vec3<double> pivot = target_.pivot();
  ViewCamera view = looking_at(pivot - target_.pivot_distance * unit(direction), pivot, up_);
  view.fov_y = target_.fov_y;
  view.orthographic = target_.orthographic;
  target_ = view;
}

bool CameraController::step(double seconds) {
  const double share = 1 - std::exp(-seconds / kSettleSeconds);
  const Vec3<double> gap = target_.pivot() - current_.pivot();
  const Vec3<double> center_gap = target_.center - current_.center;
  const double scale = target_.pivot_distance;
  if (std::sqrt(dot(gap, gap)) < 1e-4 * scale &&
      std::sqrt(dot(center_gap, center_gap)) < 1e-4 * scale &&
      difference(target_.rotation, current_.rotation) < 1e-4 &&
      std::abs(target_.fov_y - current_.fov_y) < 1e-3) {
    const bool moved = dot(gap, gap) > 0 || dot(center_gap, center_gap) > 0 ||
                       difference(target_.rotation, current_.rotation) > 0 ||
                       target_.fov_y != current_.fov_y;
    current_ = target_;
    return moved;
  }
  const Vec3<double> pivot = current_.pivot() + share * gap;
  current_.pivot_distance *= std::pow(target_.pivot_distance / current_.pivot_distance, share);
  current_.rotation = between(current_.rotation, target_.rotation, share);
  current_.fov_y += share * (target_.fov_y - current_.fov_y);
  current_.orthographic = target_.orthographic;
  current_.center = pivot - current_.pivot_distance * current_.forward();
  return true;
}

}  // namespace tessera::viewer
