// The camera of the window: where it stands, what it looks around, how it projects.
//
// Axes and signs as everywhere: x right, y down, z forward, half-integer pixel centers.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/camera.h"
#include "core/math/mat.h"
#include "core/math/vec.h"
#include "core/similarity.h"

namespace tessera::viewer {

struct ViewCamera {
  math::Vec3<double> center = {0, 0, 0};
  math::Mat3<double> rotation = math::Mat3<double>::identity();  // cam_from_world
  double pivot_distance = 1;  // along z: what it turns around, and what an orthographic view keeps
  double fov_y = 50;          // degrees
  bool orthographic = false;

  math::Vec3<double> right() const { return axis(0); }
  math::Vec3<double> down() const { return axis(1); }
  math::Vec3<double> forward() const { return axis(2); }
  math::Vec3<double> pivot() const { return center + pivot_distance * forward(); }

  friend bool operator==(const ViewCamera&, const ViewCamera&) = default;

 private:
  math::Vec3<double> axis(int row) const {
    return {rotation.m[row][0], rotation.m[row][1], rotation.m[row][2]};
  }
};

// Looks from `center` to `target`; `up` need not be perpendicular.
ViewCamera looking_at(math::Vec3<double> center, math::Vec3<double> target, math::Vec3<double> up);

// A pinhole camera there with square pixels and a centered principal point. Of an orthographic one
// its perspective twin, which shows the pivot's plane alike.
core::PosedCamera posed_camera(const ViewCamera& view, int width, int height);
// Stands where a photo was taken, with its vertical field of view.
ViewCamera view_of(const core::PosedCamera& posed, double pivot_distance);

// How points of the world come to pixels.
struct Projection {
  core::Similarity camera_from_world;  // scale 1
  double fx = 1, fy = 1, cx = 0, cy = 0;
  int width = 1, height = 1;
  bool orthographic = false;
  double nearest = 0.01;  // along z; what is nearer is not drawn
  double half_depth = 1;  // orthographic: clip space holds this much before and behind

  friend bool operator==(const Projection&, const Projection&) = default;

  // Row-major, for column vectors; y up, as OpenGL has it.
  void clip_from_world(float (&rows)[16]) const;
  // x, y in pixels, z along the axis.
  math::Vec3<double> pixel_of(math::Vec3<double> world) const;
};

// `extent` is a length that holds all that is shown, seen from the pivot.
Projection projection_of(const ViewCamera& view, int width, int height, double extent);

// Projection::clip_from_world of an item's points.
void clip_from_item(const Projection& projection, const core::Similarity& world_from_item,
                    float (&rows)[16]);

// Of a pinhole with any principal point.
Projection projection_of(const core::PosedCamera& posed);

// Where the ray of a pixel starts, and its direction, of length 1 along z.
struct Ray {
  math::Vec3<double> origin, direction;
};
Ray ray_of(const Projection& projection, math::Vec2<double> pixel);

}  // namespace tessera::viewer
