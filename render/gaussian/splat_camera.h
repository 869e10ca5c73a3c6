// A camera in the number type of the splat mathematics, and the Jacobian of its lens.
//
// A lens that distorts (COLMAP's models 2..10) stands between (x/z, y/z) and the focal lengths. Its
// second derivatives, which gradients through the Jacobian need, are the gradients of its first.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/camera.h"
#include "core/math/gradient2.h"
#include "core/math/mat.h"
#include "core/math/select.h"
#include "core/math/vec.h"
#include "render/gaussian/camera_values.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

template <class T>
struct SplatCamera {
  math::Mat3<T> rotation;  // cam_from_world
  math::Vec3<T> translation;
  T fx, fy, cx, cy;
  T min_x, max_x, min_y, max_y;  // bounds of x/z and y/z in the Jacobian
  T max_radius2;                 // of (x/z, y/z): what lies farther from the axis is not drawn
  bool distorted = false;
  math::Lens<double> lens;  // only if distorted
};

template <class T>
SplatCamera<T> make_splat_camera(const CameraValues& v) {
  const auto c = [](double a) { return math::from_double<T>(a); };
  SplatCamera<T> camera;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) camera.rotation.m[i][j] = c(v.rotation[i][j]);
  }
  camera.translation = {c(v.translation[0]), c(v.translation[1]), c(v.translation[2])};
  camera.fx = c(v.fx);
  camera.fy = c(v.fy);
  camera.cx = c(v.cx);
  camera.cy = c(v.cy);
  camera.min_x = c(v.min_x);
  camera.max_x = c(v.max_x);
  camera.min_y = c(v.min_y);
  camera.max_y = c(v.max_y);
  camera.max_radius2 = c(v.max_radius * v.max_radius);
  camera.distorted = v.distorted;
  if (v.distorted) {
    camera.lens = math::make_lens<double>(v.model, v.fx, v.fy, v.cx, v.cy, v.distortion);
  }
  return camera;
}

// Whether a point before the camera lies where its lens maps one to one.
template <class T>
TESSERA_HD auto within_lens(math::Vec3<T> point, const SplatCamera<T>& camera) {
  return point.x * point.x + point.y * point.y <= camera.max_radius2 * (point.z * point.z);
}

// d(distorted)/d(x/z, y/z); the identity for a pinhole.
template <class T>
struct LensJacobian {
  T xx, xy, yx, yy;
};

template <class T>
TESSERA_HD LensJacobian<T> lens_jacobian(const math::Lens<T>& lens, math::Vec2<T> uv) {
  const math::Vec2<T> ab = warp(lens, uv);
  const math::Vec2<T> x =
      warp_vjp(lens, uv, distort_vjp(lens, ab, math::Vec2<T>{T(1.0F), T(0.0F)}));
  const math::Vec2<T> y =
      warp_vjp(lens, uv, distort_vjp(lens, ab, math::Vec2<T>{T(0.0F), T(1.0F)}));
  return {x.x, x.y, y.x, y.y};
}

// Gradient of (x/z, y/z), given that of the Jacobian there.
template <class T>
TESSERA_HD math::Vec2<T> lens_jacobian_vjp(const math::Lens<double>& lens, math::Vec2<T> uv,
                                           const LensJacobian<T>& d) {
  using G = math::Gradient2<T>;
  const T zero(0.0F), one(1.0F);
  const LensJacobian<G> j = lens_jacobian(math::lens_cast<G>(lens),
                                          math::Vec2<G>{G(uv.x, one, zero), G(uv.y, zero, one)});
  return {d.xx * j.xx.dx + d.xy * j.xy.dx + d.yx * j.yx.dx + d.yy * j.yy.dx,
          d.xx * j.xx.dy + d.xy * j.xy.dy + d.yx * j.yx.dy + d.yy * j.yy.dy};
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
