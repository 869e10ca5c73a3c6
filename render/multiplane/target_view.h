// The target camera as a multiplane image's reference camera sees it, and a pixel's order of
// layers.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/camera.h"
#include "core/multiplane_image.h"
#include "render/multiplane/plane_math.h"

namespace tessera::render {

inline TargetView<double> target_view(const core::PosedCamera& reference,
                                      const core::PosedCamera& target) {
  const core::Rigid world_from_target = target.cam_from_world.inverse();
  const core::Rigid& reference_from_world = reference.cam_from_world;
  const core::Camera &r = reference.camera, &t = target.camera;
  const math::Mat3<double> ray_of_pixel = {
      {{1 / t.fx, 0, -t.cx / t.fx}, {0, 1 / t.fy, -t.cy / t.fy}, {0, 0, 1}}};
  return {reference_from_world.rotation * world_from_target.rotation * ray_of_pixel,
          reference_from_world.rotation * world_from_target.translation +
              reference_from_world.translation,
          r.fx,
          r.fy,
          r.cx,
          r.cy};
}

inline math::Vec3<double> plane_of(const core::MultiplaneLayer& layer) {
  return {layer.plane.x, layer.plane.y, layer.plane.z};
}

// A layer at a pixel: the order in which they are blended.
struct LayerDepth {
  double inverse_depth;
  int layer;

  friend bool operator<(const LayerDepth& a, const LayerDepth& b) {
    return a.inverse_depth > b.inverse_depth ||
           (a.inverse_depth == b.inverse_depth && a.layer < b.layer);
  }
};

}  // namespace tessera::render
