// Projection through COLMAP's camera models 0..10 and its inverse.
//
// All models are one chain: (u, v) = (x/z, y/z); an arctangent warp (fisheyes and FOV; the identity
// elsewhere); one polynomial with a rational radial part, tangential and thin-prism terms; focal
// length and principal point. A model is what it puts into the chain, so there is one derivative
// and one inverse. Models as in COLMAP's src/colmap/sensor/models.h; FOV: Devernay and Faugeras,
// "Straight lines have to be straight", 2001.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "core/math/select.h"
#include "core/math/vec.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

// What the chain multiplies by. scale and slope: warp r -> scale atan(slope r).
template <class T>
struct Lens {
  T fx, fy, cx, cy;
  bool warped;
  T scale, slope;
  T k1, k2, k3, k4;  // radial numerator: 1 + k1 r^2 + k2 r^4 + k3 r^6 + k4 r^8
  T d1, d2, d3;      // radial denominator: 1 + d1 r^2 + d2 r^4 + d3 r^6
  T p1, p2;          // tangential
  T s1, s2;          // thin prism
};

// `model` is COLMAP's number (0..10), k its parameters after focal lengths and principal point:
// 8 values, zero where the model has fewer.
template <class T>
TESSERA_HD Lens<T> make_lens(int model, T fx, T fy, T cx, T cy, const T* k) {
  using std::sqrt;
  using std::tan;
  const T o = T(0);
  Lens<T> lens{fx, fy, cx, cy, false, T(1), T(1), o, o, o, o, o, o, o, o, o, o, o};
  switch (model) {
    case 2:  // SIMPLE_RADIAL
    case 3:  // RADIAL
      lens.k1 = k[0];
      lens.k2 = k[1];
      break;
    case 4:  // OPENCV
    case 6:  // FULL_OPENCV
      lens.k1 = k[0];
      lens.k2 = k[1];
      lens.p1 = k[2];
      lens.p2 = k[3];
      lens.k3 = k[4];
      lens.d1 = k[5];
      lens.d2 = k[6];
      lens.d3 = k[7];
      break;
    case 7: {  // FOV: r -> atan(2 tan(omega / 2) r) / omega; the small term stands for the limit at
               // 0
      const T omega = sqrt(k[0] * k[0] + T(1e-20F));
      lens.warped = true;
      lens.scale = T(1) / omega;
      lens.slope = T(2) * tan(omega * T(0.5F));
      break;
    }
    case 5:  // OPENCV_FISHEYE
    case 8:  // SIMPLE_RADIAL_FISHEYE
    case 9:  // RADIAL_FISHEYE
      lens.warped = true;
      lens.k1 = k[0];
      lens.k2 = k[1];
      lens.k3 = k[2];
      lens.k4 = k[3];
      break;
    case 10:  // THIN_PRISM_FISHEYE
      lens.warped = true;
      lens.k1 = k[0];
      lens.k2 = k[1];
      lens.p1 = k[2];
      lens.p2 = k[3];
      lens.k3 = k[4];
      lens.k4 = k[5];
      lens.s1 = k[6];
      lens.s2 = k[7];
      break;
    default:
      break;
  }
  return lens;
}

// The same lens in another number type.
template <class T>
TESSERA_HD Lens<T> lens_cast(const Lens<double>& l) {
  const auto c = [](double a) { return from_double<T>(a); };
  return {c(l.fx), c(l.fy), c(l.cx), c(l.cy), l.warped, c(l.scale), c(l.slope), c(l.k1), c(l.k2),
          c(l.k3), c(l.k4), c(l.d1), c(l.d2), c(l.d3),  c(l.p1),    c(l.p2),    c(l.s1), c(l.s2)};
}

// scale atan(slope r) / r as a function of s = r^2, and its derivative by s. Near 0, where the
// quotients cancel, by their series.
template <class T>
struct WarpFactor {
  T value, slope;
};

template <class T>
TESSERA_HD WarpFactor<T> warp_factor(const Lens<T>& lens, T s) {
  const T one(1), k = lens.slope * lens.slope, ks = k * s, limit(0.1F);
  const auto near_axis = ks < limit;
  T value(0), slope(0);
  for (int n = 9; n >= 0; --n) {  // sum of (-ks)^n / (2n + 1), and its derivative by ks
    const T coefficient = from_double<T>((n % 2 == 0 ? 1.0 : -1.0) / (2 * n + 1));
    slope = slope * ks + value;
    value = value * ks + coefficient;
  }
  const T gain = lens.scale * lens.slope;
  const T far = select(near_axis, limit / k, s);
  const T r = sqrt(far);
  const T far_value = lens.scale * atan(lens.slope * r) / r;
  const T far_slope = (gain / (one + k * far) - far_value) / (far + far);
  return {select(near_axis, gain * value, far_value),
          select(near_axis, gain * k * slope, far_slope)};
}

// (u, v) -> (u, v) scale atan(slope r) / r.
template <class T>
TESSERA_HD Vec2<T> warp(const Lens<T>& lens, Vec2<T> uv) {
  if (!lens.warped) return uv;
  return uv * warp_factor(lens, dot(uv, uv)).value;
}

// dL/d(u, v), given dL/d(warped).
template <class T>
TESSERA_HD Vec2<T> warp_vjp(const Lens<T>& lens, Vec2<T> uv, Vec2<T> g) {
  if (!lens.warped) return g;
  const WarpFactor<T> f = warp_factor(lens, dot(uv, uv));
  return g * f.value + uv * (T(2) * f.slope * dot(uv, g));
}

template <class T>
TESSERA_HD Vec2<T> distort(const Lens<T>& l, Vec2<T> ab) {
  const T r2 = dot(ab, ab);
  const T numerator = T(1) + r2 * (l.k1 + r2 * (l.k2 + r2 * (l.k3 + r2 * l.k4)));
  const T denominator = T(1) + r2 * (l.d1 + r2 * (l.d2 + r2 * l.d3));
  const T radial = numerator / denominator;
  const T cross_term = T(2) * ab.x * ab.y;
  return {ab.x * radial + l.p1 * cross_term + l.p2 * (r2 + T(2) * ab.x * ab.x) + l.s1 * r2,
          ab.y * radial + l.p2 * cross_term + l.p1 * (r2 + T(2) * ab.y * ab.y) + l.s2 * r2};
}

// dL/d(a, b), given dL/d(distorted).
template <class T>
TESSERA_HD Vec2<T> distort_vjp(const Lens<T>& l, Vec2<T> ab, Vec2<T> g) {
  const T r2 = dot(ab, ab);
  const T numerator = T(1) + r2 * (l.k1 + r2 * (l.k2 + r2 * (l.k3 + r2 * l.k4)));
  const T denominator = T(1) + r2 * (l.d1 + r2 * (l.d2 + r2 * l.d3));
  const T radial = numerator / denominator;
  const T numerator_slope = l.k1 + r2 * (T(2) * l.k2 + r2 * (T(3) * l.k3 + r2 * (T(4) * l.k4)));
  const T denominator_slope = l.d1 + r2 * (T(2) * l.d2 + r2 * (T(3) * l.d3));
  const T radial_slope = (numerator_slope - radial * denominator_slope) / denominator;
  const T g_r2 = dot(ab, g) * radial_slope + g.x * (l.p2 + l.s1) + g.y * (l.p1 + l.s2);
  const T g_cross = g.x * l.p1 + g.y * l.p2;
  return {g.x * radial + T(2) * g_cross * ab.y + T(4) * l.p2 * g.x * ab.x + T(2) * g_r2 * ab.x,
          g.y * radial + T(2) * g_cross * ab.x + T(4) * l.p1 * g.y * ab.y + T(2) * g_r2 * ab.y};
}

// The pixel (centres at +0.5) at which a point in camera axes, with z > 0, is seen.
template <class T>
TESSERA_HD Vec2<T> project(const Lens<T>& lens, Vec3<T> point) {
  const T inverse_z = T(1) / point.z;
  const Vec2<T> d = distort(lens, warp(lens, Vec2<T>{point.x * inverse_z, point.y * inverse_z}));
  return {lens.fx * d.x + lens.cx, lens.fy * d.y + lens.cy};
}

// dL/d(point), given dL/d(pixel).
template <class T>
TESSERA_HD Vec3<T> project_vjp(const Lens<T>& lens, Vec3<T> point, Vec2<T> g) {
  const T inverse_z = T(1) / point.z;
  const Vec2<T> uv{point.x * inverse_z, point.y * inverse_z};
  const Vec2<T> g_ab = distort_vjp(lens, warp(lens, uv), Vec2<T>{lens.fx * g.x, lens.fy * g.y});
  const Vec2<T> g_uv = warp_vjp(lens, uv, g_ab);
  return {g_uv.x * inverse_z, g_uv.y * inverse_z, -dot(g_uv, uv) * inverse_z};
}

// (x/z, y/z) of the ray through `pixel`. Newton's method from the distorted position, for real
// scalars only. Returns false if no ray in front of the camera lands there, or none on the branch
// that the center belongs to (strong polynomials fold back on themselves).
template <class T>
TESSERA_HD bool unproject(const Lens<T>& lens, Vec2<T> pixel, Vec2<T>& uv) {
  const Vec2<T> target{(pixel.x - lens.cx) / lens.fx, (pixel.y - lens.cy) / lens.fy};
  const T tolerance = sizeof(T) == sizeof(float) ? T(1e-6F) : T(1e-12);
  Vec2<T> ab = target;
  T error = T(0);
  for (int i = 0; i < 50; ++i) {
    const Vec2<T> residual = distort(lens, ab) - target;
    error = dot(residual, residual);
    if (error < tolerance * tolerance) break;
    const Vec2<T> row_x = distort_vjp(lens, ab, Vec2<T>{T(1), T(0)});
    const Vec2<T> row_y = distort_vjp(lens, ab, Vec2<T>{T(0), T(1)});
    const T determinant = row_x.x * row_y.y - row_x.y * row_y.x;
    if (!(determinant > T(1e-6F))) return false;
    const Vec2<T> step{(row_y.y * residual.x - row_x.y * residual.y) / determinant,
                       (row_x.x * residual.y - row_y.x * residual.x) / determinant};
    ab = ab - step;
  }
  if (!(error < tolerance * tolerance * T(1e4F))) return false;
  uv = ab;
  if (!lens.warped) return true;
  const T r = std::sqrt(dot(ab, ab) + T(1e-30F));
  const T angle = r / lens.scale;
  if (!(angle < T(1.5707F))) return false;
  uv = ab * (std::tan(angle) / (lens.slope * r));
  return true;
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
