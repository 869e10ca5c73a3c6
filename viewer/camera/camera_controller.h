// Moves the camera as the user's hands ask, smoothly and at the same pace for any frame rate.
//
// Wishes change where the camera is to go; step() brings it nearer by a share that depends only on
// the time that passed. Turning keeps the horizon: left and right turn around the world's vertical.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/vec.h"
#include "viewer/camera/view_camera.h"

namespace tessera::viewer {

class CameraController {
 public:
  const ViewCamera& camera() const { return current_; }
  const ViewCamera& target() const { return target_; }
  math::Vec3<double> up() const { return up_; }

  // The world's vertical; the camera is set upright.
  void set_up(math::Vec3<double> up);
  // There at once, or smoothly.
  void jump_to(const ViewCamera& camera);
  void go_to(const ViewCamera& camera) { target_ = camera; }

  // By pixels of a picture of that height.
  void orbit(double dx, double dy, int height);
  void look(double dx, double dy, int height);  // turns where it stands
  void pan(double dx, double dy, int height);
  void roll(double radians);
  // Nearer by `steps` of the wheel, towards a place of the picture in pixels from its middle.
  void dolly(double steps, math::Vec2<double> from_middle, int height);
  // Moves by right, down and forward, in pivot distances.
  void move(math::Vec3<double> by);
  // Turns around another point from now on; the picture does not change.
  void set_pivot(math::Vec3<double> point);
  // Steps back or nearer so that a sphere fills the picture.
  void frame(math::Vec3<double> center, double radius, double aspect);
  void set_fov(double degrees);
  void set_orthographic(bool on);
  void level();  // no roll
  // Looks along a direction of the world, around the same pivot.
  void look_along(math::Vec3<double> direction);

  // Whether it still moves.
  bool step(double seconds);

 private:
  void turn(double around_up, double around_right, math::Vec3<double> fixed);

  ViewCamera current_, target_;
  math::Vec3<double> up_ = {0, -1, 0};
};

}  // namespace tessera::viewer
