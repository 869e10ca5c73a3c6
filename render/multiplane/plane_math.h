// One plane's way to the picture: from a pixel of the target camera to the texel of the plane that
// it shows and the inverse depth there, the sample between four texels, and its blending, each
// followed by its vector-Jacobian product. Templated on the number type (design: one mathematics).
//
// Hartley and Zisserman, "Multiple View Geometry", 13.1. A point X of the reference's axes lies on
// the plane if dot(n, X) = 1. A pixel's ray is c + z d with the target's center c and depth z; so
// 1/z = dot(n, d) / (1 - dot(n, c)), linear over the target picture, and the texel is that of
// a = (1 - dot(n, c)) d + dot(n, d) c. No value is divided by 1 - alpha.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/mat.h"
#include "core/math/select.h"
#include "core/math/vec.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

using math::mask_and;
using math::mul_add;

// The target camera as the reference camera sees it.
template <class T>
struct TargetView {
  math::Mat3<T> ray;     // pixel (u, v, 1) to its ray in the reference's axes, target depth 1
  math::Vec3<T> center;  // of the target camera, in the reference's axes
  T fx, fy, cx, cy;      // of the reference camera
};

// Of one plane: what is linear in a target pixel (u, v, 1).
template <class T>
struct PlaneMap {
  math::Mat3<T> texel;          // homogeneous pixel of the reference
  math::Vec3<T> inverse_depth;  // in the target
};

// Above 0 where the target camera stands before the plane; only then the plane has a map.
template <class T>
TESSERA_HD T plane_facing(const TargetView<T>& view, math::Vec3<T> plane) {
  return T(1) - math::dot(plane, view.center);
}

template <class T>
TESSERA_HD PlaneMap<T> plane_map(const TargetView<T>& view, math::Vec3<T> plane) {
  const T facing = plane_facing(view, plane);
  const math::Vec3<T> n = math::transposed_times(view.ray, plane);
  const T pixel[3] = {n.x, n.y, n.z};
  PlaneMap<T> map;
  for (int k = 0; k < 3; ++k) {
    const T z = facing * view.ray.m[2][k] + view.center.z * pixel[k];
    map.texel.m[0][k] =
        view.fx * (facing * view.ray.m[0][k] + view.center.x * pixel[k]) + view.cx * z;
    map.texel.m[1][k] =
        view.fy * (facing * view.ray.m[1][k] + view.center.y * pixel[k]) + view.cy * z;
    map.texel.m[2][k] = z;
  }
  map.inverse_depth = n * (T(1) / facing);
  return map;
}

template <class T>
TESSERA_HD math::Vec3<T> plane_map_vjp(const TargetView<T>& view, math::Vec3<T> plane,
                                       const PlaneMap<T>& d) {
  const T inverse = T(1) / plane_facing(view, plane);
  const math::Vec3<T> n = math::transposed_times(view.ray, plane);
  T d_facing = -math::dot(d.inverse_depth, n) * inverse * inverse;
  T d_pixel[3] = {d.inverse_depth.x * inverse, d.inverse_depth.y * inverse,
                  d.inverse_depth.z * inverse};
  for (int k = 0; k < 3; ++k) {
    const math::Vec3<T> a = {
        view.fx * d.texel.m[0][k], view.fy * d.texel.m[1][k],
        view.cx * d.texel.m[0][k] + view.cy * d.texel.m[1][k] + d.texel.m[2][k]};
    d_facing = d_facing + a.x * view.ray.m[0][k] + a.y * view.ray.m[1][k] + a.z * view.ray.m[2][k];
    d_pixel[k] = d_pixel[k] + math::dot(a, view.center);
  }
  return view.ray * math::Vec3<T>{d_pixel[0], d_pixel[1], d_pixel[2]} - view.center * d_facing;
}

template <class T>
TESSERA_HD T linear_at(math::Vec3<T> coefficients, T u, T v) {
  return mul_add(coefficients.x, u, mul_add(coefficients.y, v, coefficients.z));
}

// Whether the plane is before both cameras where pixel (u, v) of the target shows it.
template <class T>
TESSERA_HD auto shows_plane(const PlaneMap<T>& map, T u, T v) {
  const T z =
      linear_at(math::Vec3<T>{map.texel.m[2][0], map.texel.m[2][1], map.texel.m[2][2]}, u, v);
  return mask_and(z > T(0), linear_at(map.inverse_depth, u, v) > T(0));
}

// Pixel of the reference, where shows_plane.
template <class T>
TESSERA_HD math::Vec2<T> texel_at(const PlaneMap<T>& map, T u, T v) {
  const auto row = [&](int r) {
    return linear_at(math::Vec3<T>{map.texel.m[r][0], map.texel.m[r][1], map.texel.m[r][2]}, u, v);
  };
  const T inverse = T(1) / row(2);
  return {row(0) * inverse, row(1) * inverse};
}

// dL/d(homogeneous pixel of the reference): times (u, v, 1) it is that of the map's rows.
template <class T>
TESSERA_HD math::Vec3<T> texel_at_vjp(const PlaneMap<T>& map, T u, T v, math::Vec2<T> d) {
  const math::Vec2<T> texel = texel_at(map, u, v);
  const T z =
      linear_at(math::Vec3<T>{map.texel.m[2][0], map.texel.m[2][1], map.texel.m[2][2]}, u, v);
  const T inverse = T(1) / z;
  return {d.x * inverse, d.y * inverse, -(d.x * texel.x + d.y * texel.y) * inverse};
}

// Premultiplied.
template <class T>
struct Rgba {
  T c[4];
};

// Four texels around a point; (x, y) from the first one's center, in 0..1.
template <class T>
struct TexelQuad {
  Rgba<T> texel[4];  // upper left, upper right, lower left, lower right
};

template <class T>
TESSERA_HD Rgba<T> sample(const TexelQuad<T>& quad, T x, T y) {
  Rgba<T> s;
  for (int c = 0; c < 4; ++c) {
    const T upper = mul_add(x, quad.texel[1].c[c] - quad.texel[0].c[c], quad.texel[0].c[c]);
    const T lower = mul_add(x, quad.texel[3].c[c] - quad.texel[2].c[c], quad.texel[2].c[c]);
    s.c[c] = mul_add(y, lower - upper, upper);
  }
  return s;
}

// By what dL/d(sample) is multiplied to give that of each texel.
template <class T>
struct TexelWeights {
  T w[4];
};
template <class T>
TESSERA_HD TexelWeights<T> texel_weights(T x, T y) {
  const T one(1);
  return {{(one - x) * (one - y), x * (one - y), (one - x) * y, x * y}};
}

// dL/d(x, y).
template <class T>
TESSERA_HD math::Vec2<T> sample_vjp(const TexelQuad<T>& quad, T x, T y, const Rgba<T>& d) {
  math::Vec2<T> r = {T(0), T(0)};
  for (int c = 0; c < 4; ++c) {
    const T upper = quad.texel[1].c[c] - quad.texel[0].c[c];
    const T lower = quad.texel[3].c[c] - quad.texel[2].c[c];
    const T left = quad.texel[2].c[c] - quad.texel[0].c[c];
    r.x = mul_add(d.c[c], mul_add(y, lower - upper, upper), r.x);
    r.y = mul_add(d.c[c], mul_add(x, lower - upper, left), r.y);
  }
  return r;
}

// What a pixel has gathered of the layers before, near ones first.
template <class T>
struct Composite {
  T color[3];
  T disparity;
  T transmittance;
};

template <class T>
TESSERA_HD Composite<T> nothing_before() {
  return {{T(0), T(0), T(0)}, T(0), T(1)};
}

template <class T>
TESSERA_HD void blend(Composite<T>& before, const Rgba<T>& s, T inverse_depth) {
  const T t = before.transmittance;
  for (int c = 0; c < 3; ++c) before.color[c] = mul_add(t, s.c[c], before.color[c]);
  before.disparity = mul_add(t * s.c[3], inverse_depth, before.disparity);
  before.transmittance = t - t * s.c[3];
}

// dL/d of a pixel's color with its background, alpha and disparity.
template <class T>
struct CompositeGradient {
  T color[3];
  T alpha;
  T disparity;
};

// Light that would come from the layers behind, if nothing stood before them, times dL/d(pixel):
// the sum of dL/dcolor * color + dL/ddisparity * disparity - dL/dalpha * transmittance.
template <class T>
TESSERA_HD T nothing_behind(const CompositeGradient<T>& d, const T* background) {
  return d.color[0] * background[0] + d.color[1] * background[1] + d.color[2] * background[2] -
         d.alpha;
}

// dL/d(sample), dL/d(inverse depth), given the transmittance before the layer and `behind`, which
// takes in the layer itself for the next one nearer: called far to near.
template <class T>
struct BlendGradient {
  Rgba<T> sample;
  T inverse_depth;
};
template <class T>
TESSERA_HD BlendGradient<T> blend_vjp(T transmittance, const Rgba<T>& s, T inverse_depth,
                                      const CompositeGradient<T>& d, T& behind) {
  const T own = d.disparity * inverse_depth;
  BlendGradient<T> r;
  for (int c = 0; c < 3; ++c) r.sample.c[c] = transmittance * d.color[c];
  r.sample.c[3] = transmittance * (own - behind);
  r.inverse_depth = transmittance * s.c[3] * d.disparity;
  behind = behind + s.c[3] * (own - behind) +
           (s.c[0] * d.color[0] + s.c[1] * d.color[1] + s.c[2] * d.color[2]);
  return r;
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
