// One Gaussian's way to the picture: projection to a 2D splat, its colour, its alpha at a pixel,
// each followed by its vector-Jacobian product. Templated on the number type (design: one
// mathematics).
//
// Zwicker et al., "EWA Splatting", 2002; Kerbl et al. 2023; compensation of Yu et al. 2024.
// The 2D covariance is a sum of outer products of the three projected axes, so its determinant is a
// sum of squares and never negative, whatever the rounding.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/mat.h"
#include "core/math/quat.h"
#include "core/math/select.h"
#include "core/math/sh.h"
#include "core/math/vec.h"
#include "render/gaussian/splat_camera.h"

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

using math::Mat3;
using math::Sym2;
using math::Vec2;
using math::Vec3;
using math::Vec4;

using math::abs;
using math::exp;
using math::exp2;
using math::log2;
using math::mask_and;
using math::mask_or;
using math::max;
using math::min;
using math::mul_add;
using math::select;
using math::sqrt;

struct SplatLimits {
  static constexpr double kDilation = 0.3;  // px^2, added to the 2D covariance
  static constexpr double kMaxAlpha = 0.99;
  static constexpr double kMinAlpha = 1.0 / 255.0;   // below it a splat is skipped
  static constexpr double kMinTransmittance = 1e-4;  // the splat that would cross it is not blended
  static constexpr double kMinCompensation2 = 0.000025;  // floor of det/det_dilated
};

template <class T>
struct Gaussian {
  Vec3<T> mean, log_scale;
  Vec4<T> quaternion;
  T opacity_logit;
};

// conic: alpha = opacity exp(-(xx dx^2 + yy dy^2)/2 - xy dx dy). covariance: dilated.
template <class T>
struct Splat {
  Vec2<T> mean;
  T depth;
  Sym2<T> conic;
  T opacity;
  Sym2<T> covariance;
};

// Gradient of what `project` gives, but its covariance.
template <class T>
struct SplatGradient {
  Vec2<T> mean;
  T depth;
  Sym2<T> conic;
  T opacity;
};

// The three axes of a Gaussian on their way to the picture.
template <class T>
struct ProjectedAxes {
  Vec3<T> point;         // mean in camera axes
  T inverse_z, xn, yn;   // x/z, y/z
  T xc, yc;              // the same, clamped
  LensJacobian<T> lens;  // there
  T scale[3];
  Vec3<T> axis[3];       // unit, in camera axes
  Vec2<T> flat[3];       // (x - xc z, y - yc z)
  Vec2<T> unscaled[3];   // J axis
  Vec2<T> projected[3];  // scale J axis
};

template <class T>
TESSERA_HD ProjectedAxes<T> project_axes(const Gaussian<T>& g, const SplatCamera<T>& camera) {
  ProjectedAxes<T> a;
  a.point = camera.rotation * g.mean + camera.translation;
  a.inverse_z = T(1) / a.point.z;
  a.xn = a.point.x * a.inverse_z;
  a.yn = a.point.y * a.inverse_z;
  a.xc = max(camera.min_x, min(camera.max_x, a.xn));
  a.yc = max(camera.min_y, min(camera.max_y, a.yn));
  if (camera.distorted) {
    a.lens = lens_jacobian(math::lens_cast<T>(camera.lens), Vec2<T>{a.xc, a.yc});
  }
  const T jx = camera.fx * a.inverse_z, jy = camera.fy * a.inverse_z;
  const Mat3<T> axes = camera.rotation * math::rotation_from_quaternion(g.quaternion);
  a.scale[0] = exp(g.log_scale.x);
  a.scale[1] = exp(g.log_scale.y);
  a.scale[2] = exp(g.log_scale.z);
  for (int k = 0; k < 3; ++k) {
    a.axis[k] = {axes.m[0][k], axes.m[1][k], axes.m[2][k]};
    a.flat[k] = {a.axis[k].x - a.xc * a.axis[k].z, a.axis[k].y - a.yc * a.axis[k].z};
    Vec2<T> bent = a.flat[k];
    if (camera.distorted) {
      bent = {a.lens.xx * a.flat[k].x + a.lens.xy * a.flat[k].y,
              a.lens.yx * a.flat[k].x + a.lens.yy * a.flat[k].y};
    }
    a.unscaled[k] = {jx * bent.x, jy * bent.y};
    a.projected[k] = a.unscaled[k] * a.scale[k];
  }
  return a;
}

// The 2D covariance before dilation, and its determinant as a sum of squared minors.
template <class T>
struct FlatCovariance {
  Sym2<T> value;
  T minor[3];  // of axes (0,1), (0,2), (1,2)
  T determinant;
  T dilated_determinant;
};

template <class T>
TESSERA_HD FlatCovariance<T> flat_covariance(const ProjectedAxes<T>& a) {
  const Vec2<T>* u = a.projected;
  FlatCovariance<T> c;
  c.value = {u[0].x * u[0].x + u[1].x * u[1].x + u[2].x * u[2].x,
             u[0].x * u[0].y + u[1].x * u[1].y + u[2].x * u[2].y,
             u[0].y * u[0].y + u[1].y * u[1].y + u[2].y * u[2].y};
  c.minor[0] = u[0].x * u[1].y - u[0].y * u[1].x;
  c.minor[1] = u[0].x * u[2].y - u[0].y * u[2].x;
  c.minor[2] = u[1].x * u[2].y - u[1].y * u[2].x;
  c.determinant = c.minor[0] * c.minor[0] + c.minor[1] * c.minor[1] + c.minor[2] * c.minor[2];
  const T dilation = math::from_double<T>(SplatLimits::kDilation);
  c.dilated_determinant =
      c.determinant + dilation * (c.value.xx + c.value.yy) + dilation * dilation;
  return c;
}

// The splat of a Gaussian whose mean lies before the camera (z > 0).
template <class T>
TESSERA_HD Splat<T> project(const Gaussian<T>& g, const SplatCamera<T>& camera, bool antialiased) {
  const ProjectedAxes<T> a = project_axes(g, camera);
  const FlatCovariance<T> c = flat_covariance(a);
  const T dilation = math::from_double<T>(SplatLimits::kDilation);
  const T inverse = T(1) / c.dilated_determinant;
  Splat<T> s;
  Vec2<T> bent = {a.xn, a.yn};
  if (camera.distorted) {
    const math::Lens<T> lens = math::lens_cast<T>(camera.lens);
    bent = distort(lens, warp(lens, bent));
  }
  s.mean = {camera.fx * bent.x + camera.cx, camera.fy * bent.y + camera.cy};
  s.depth = a.point.z;
  s.covariance = {c.value.xx + dilation, c.value.xy, c.value.yy + dilation};
  s.conic = {s.covariance.yy * inverse, -c.value.xy * inverse, s.covariance.xx * inverse};
  s.opacity = math::sigmoid(g.opacity_logit);
  if (antialiased) {
    const T floor = math::from_double<T>(SplatLimits::kMinCompensation2);
    s.opacity = s.opacity * sqrt(max(floor, c.determinant * inverse));
  }
  return s;
}

// Gradients of the Gaussian and, as those of a left rotation exp([omega]x) and of the translation,
// of cam_from_world.
template <class T>
struct ProjectGradient {
  Gaussian<T> gaussian;
  Vec3<T> omega, translation;
};

template <class T>
TESSERA_HD ProjectGradient<T> project_vjp(const Gaussian<T>& g, const SplatCamera<T>& camera,
                                          bool antialiased, const SplatGradient<T>& d) {
  const ProjectedAxes<T> a = project_axes(g, camera);
  const FlatCovariance<T> c = flat_covariance(a);
  const T dilation = math::from_double<T>(SplatLimits::kDilation);
  const T inverse = T(1) / c.dilated_determinant;
  const T zero(0), one(1), two(2);

  // Conic and opacity to the covariance and its determinants.
  T d_xx = d.conic.yy * inverse;
  T d_yy = d.conic.xx * inverse;
  const T d_xy = -d.conic.xy * inverse;
  T d_dilated = -(d.conic.xx * (c.value.yy + dilation) - d.conic.xy * c.value.xy +
                  d.conic.yy * (c.value.xx + dilation)) *
                inverse * inverse;
  T d_determinant = zero;
  const T opacity = math::sigmoid(g.opacity_logit);
  T d_opacity = d.opacity;
  if (antialiased) {
    const T floor = math::from_double<T>(SplatLimits::kMinCompensation2);
    const T ratio = c.determinant * inverse;
    const T compensation = sqrt(max(floor, ratio));
    const T d_ratio = select(ratio > floor, d.opacity * opacity * T(0.5F) / compensation, zero);
    d_determinant = d_ratio * inverse;
    d_dilated = d_dilated - d_ratio * ratio * inverse;
    d_opacity = d.opacity * compensation;
  }
  d_determinant = d_determinant + d_dilated;
  d_xx = d_xx + dilation * d_dilated;
  d_yy = d_yy + dilation * d_dilated;

  // To the projected axes.
  const Vec2<T>* u = a.projected;
  const T m0 = two * d_determinant * c.minor[0], m1 = two * d_determinant * c.minor[1],
          m2 = two * d_determinant * c.minor[2];
  const Vec2<T> from_minors[3] = {{u[1].y * m0 + u[2].y * m1, zero - u[1].x * m0 - u[2].x * m1},
                                  {u[2].y * m2 - u[0].y * m0, u[0].x * m0 - u[2].x * m2},
                                  {zero - u[0].y * m1 - u[1].y * m2, u[0].x * m1 + u[1].x * m2}};
  const T jx = camera.fx * a.inverse_z, jy = camera.fy * a.inverse_z;
  ProjectGradient<T> r;
  T d_scale[3];
  Mat3<T> d_axes;
  // J is proportional to 1/z: dL/d(1/z) through it is the sum of gradient times value, times z.
  T d_scaled = zero, d_xc = zero, d_yc = zero;
  LensJacobian<T> d_lens = {zero, zero, zero, zero};
  r.omega = {zero, zero, zero};
  for (int k = 0; k < 3; ++k) {
    const Vec2<T> du = {two * d_xx * u[k].x + d_xy * u[k].y + from_minors[k].x,
                        d_xy * u[k].x + two * d_yy * u[k].y + from_minors[k].y};
    d_scale[k] = du.x * u[k].x + du.y * u[k].y;
    const Vec2<T> de = du * a.scale[k];
    Vec2<T> d_flat = {de.x * jx, de.y * jy};
    d_scaled = d_scaled + de.x * a.unscaled[k].x + de.y * a.unscaled[k].y;
    if (camera.distorted) {
      const Vec2<T> f = a.flat[k], h = d_flat;
      d_lens = {d_lens.xx + h.x * f.x, d_lens.xy + h.x * f.y, d_lens.yx + h.y * f.x,
                d_lens.yy + h.y * f.y};
      d_flat = {h.x * a.lens.xx + h.y * a.lens.yx, h.x * a.lens.xy + h.y * a.lens.yy};
    }
    const Vec3<T> d_axis = {d_flat.x, d_flat.y, zero - d_flat.x * a.xc - d_flat.y * a.yc};
    d_xc = d_xc - d_flat.x * a.axis[k].z;
    d_yc = d_yc - d_flat.y * a.axis[k].z;
    r.omega = r.omega + math::cross(a.axis[k], d_axis);
    const Vec3<T> d_column = math::transposed_times(camera.rotation, d_axis);
    d_axes.m[0][k] = d_column.x;
    d_axes.m[1][k] = d_column.y;
    d_axes.m[2][k] = d_column.z;
  }

  // To the mean.
  Vec2<T> d_mean = {camera.fx * d.mean.x, camera.fy * d.mean.y};
  if (camera.distorted) {
    const Vec2<T> d_clamped = lens_jacobian_vjp(camera.lens, Vec2<T>{a.xc, a.yc}, d_lens);
    d_xc = d_xc + d_clamped.x;
    d_yc = d_yc + d_clamped.y;
    const math::Lens<T> lens = math::lens_cast<T>(camera.lens);
    const Vec2<T> uv = {a.xn, a.yn};
    d_mean = warp_vjp(lens, uv, distort_vjp(lens, warp(lens, uv), d_mean));
  }
  const T d_xn = d_mean.x + select(mask_and(a.xn > camera.min_x, a.xn < camera.max_x), d_xc, zero);
  const T d_yn = d_mean.y + select(mask_and(a.yn > camera.min_y, a.yn < camera.max_y), d_yc, zero);
  const T d_inverse_z = d_scaled * a.point.z + d_xn * a.point.x + d_yn * a.point.y;
  const Vec3<T> d_point = {d_xn * a.inverse_z, d_yn * a.inverse_z,
                           d.depth - d_inverse_z * a.inverse_z * a.inverse_z};

  r.gaussian.mean = math::transposed_times(camera.rotation, d_point);
  r.gaussian.log_scale = {d_scale[0], d_scale[1], d_scale[2]};
  r.gaussian.quaternion = math::rotation_from_quaternion_vjp(g.quaternion, d_axes);
  r.gaussian.opacity_logit = d_opacity * opacity * (one - opacity);
  r.translation = d_point;
  r.omega = r.omega + math::cross(a.point - camera.translation, d_point);
  return r;
}

// log2 of alpha before its ceiling, at offset (dx, dy) from the splat's mean, from the conic in
// units of log2: conic2 = conic * -log2(e)/2 (xx, yy) and * -log2(e) (xy).
template <class T>
TESSERA_HD T log2_alpha(Sym2<T> conic2, T log2_opacity, T dx, T dy) {
  const T cross_term = mul_add(conic2.xy, dy, conic2.xx * dx);
  return mul_add(cross_term, dx, mul_add(conic2.yy * dy, dy, log2_opacity));
}

template <class T>
TESSERA_HD Sym2<T> conic_in_log2(Sym2<T> conic) {
  const T half_log2e(-0.72134752044448170F), log2e(-1.44269504088896341F);
  return {conic.xx * half_log2e, conic.xy * log2e, conic.yy * half_log2e};
}

// Colour before the clamp at 0, from SH coefficients: sh(k, c) gives coefficient k of channel c.
template <class T, class Coefficients>
TESSERA_HD Vec3<T> sh_color(int degree, Vec3<T> direction, const Coefficients& sh) {
  T basis[25];
  math::sh_basis(degree, direction, basis);
  Vec3<T> color = {T(0.5F), T(0.5F), T(0.5F)};
  for (int k = 0; k < (degree + 1) * (degree + 1); ++k) {
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): sh_basis fills what a degree has.
    color.x = mul_add(basis[k], sh(k, 0), color.x);
    color.y = mul_add(basis[k], sh(k, 1), color.y);
    color.z = mul_add(basis[k], sh(k, 2), color.z);
  }
  return color;
}

// Calls add(k, c, gradient) for every coefficient and gives the gradient of the unit direction.
template <class T, class Coefficients, class Add>
TESSERA_HD Vec3<T> sh_color_vjp(int degree, Vec3<T> direction, const Coefficients& sh,
                                Vec3<T> d_color, const Add& add) {
  T basis[25];
  T d_basis[25];
  math::sh_basis(degree, direction, basis);
  for (int k = 0; k < (degree + 1) * (degree + 1); ++k) {
    add(k, 0, basis[k] * d_color.x);
    add(k, 1, basis[k] * d_color.y);
    add(k, 2, basis[k] * d_color.z);
    d_basis[k] = mul_add(sh(k, 0), d_color.x, mul_add(sh(k, 1), d_color.y, sh(k, 2) * d_color.z));
  }
  return math::sh_basis_vjp(degree, direction, d_basis);
}

// v / |v|; zero stays zero (a Gaussian in the camera's own centre has no direction).
template <class T>
TESSERA_HD Vec3<T> normalize(Vec3<T> v) {
  const T length2 = math::dot(v, v);
  const T tiny(1e-30F);
  return v * select(length2 > tiny, T(1) / sqrt(max(length2, tiny)), T(0));
}

template <class T>
TESSERA_HD Vec3<T> normalize_vjp(Vec3<T> v, Vec3<T> d) {
  const T length2 = math::dot(v, v);
  const T tiny(1e-30F);
  const T inverse = select(length2 > tiny, T(1) / sqrt(max(length2, tiny)), T(0));
  const Vec3<T> unit = v * inverse;
  return (d - unit * math::dot(unit, d)) * inverse;
}

// The shortest axis in camera axes, turned to the camera.
template <class T>
TESSERA_HD Vec3<T> splat_normal(const Gaussian<T>& g, const SplatCamera<T>& camera) {
  const ProjectedAxes<T> a = project_axes(g, camera);
  const auto first = mask_and(g.log_scale.x <= g.log_scale.y, g.log_scale.x <= g.log_scale.z);
  const auto second = g.log_scale.y <= g.log_scale.z;
  const auto pick = [&](T x, T y, T z) { return select(first, x, select(second, y, z)); };
  const Vec3<T> n = {pick(a.axis[0].x, a.axis[1].x, a.axis[2].x),
                     pick(a.axis[0].y, a.axis[1].y, a.axis[2].y),
                     pick(a.axis[0].z, a.axis[1].z, a.axis[2].z)};
  const T sign = select(math::dot(n, a.point) > T(0), T(-1), T(1));
  return n * sign;
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
