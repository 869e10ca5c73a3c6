// Real spherical harmonics up to degree 4 as polynomials of a unit direction, in the order and with
// the signs that splat files use (Kerbl et al. 2023), and their derivatives.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/select.h"
#include "core/math/vec.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

struct ShConstants {
  static constexpr double k0 = 0.28209479177387814;
  static constexpr double k1 = 0.4886025119029199;
  static constexpr double k2_xy = 1.0925484305920792;
  static constexpr double k2_zz = 0.31539156525252005;
  static constexpr double k2_xx = 0.5462742152960396;
  static constexpr double k3_yxx = -0.5900435899266435;
  static constexpr double k3_xyz = 2.890611442640554;
  static constexpr double k3_yzz = -0.4570457994644658;
  static constexpr double k3_zzz = 0.3731763325901154;
  static constexpr double k3_zxx = 1.445305721320277;
  static constexpr double k4_xyxx = 2.5033429417967046;
  static constexpr double k4_yzxx = -1.7701307697799304;
  static constexpr double k4_xyzz = 0.9461746957575601;
  static constexpr double k4_yzzz = -0.6690465435572892;
  static constexpr double k4_zzzz = 0.10578554691520431;
  static constexpr double k4_xxzz = 0.47308734787878004;
  static constexpr double k4_xxxx = 0.6258357354491761;
};

// basis[0 .. (degree+1)^2).
template <class T>
TESSERA_HD void sh_basis(int degree, Vec3<T> d, T* basis) {
  using C = ShConstants;
  const T x = d.x, y = d.y, z = d.z;
  basis[0] = from_double<T>(C::k0);
  if (degree < 1) return;
  basis[1] = from_double<T>(-C::k1) * y;
  basis[2] = from_double<T>(C::k1) * z;
  basis[3] = from_double<T>(-C::k1) * x;
  if (degree < 2) return;
  const T xx = x * x, yy = y * y, zz = z * z, xy = x * y, yz = y * z, xz = x * z;
  basis[4] = from_double<T>(C::k2_xy) * xy;
  basis[5] = from_double<T>(-C::k2_xy) * yz;
  basis[6] = from_double<T>(C::k2_zz) * (T(2) * zz - xx - yy);
  basis[7] = from_double<T>(-C::k2_xy) * xz;
  basis[8] = from_double<T>(C::k2_xx) * (xx - yy);
  if (degree < 3) return;
  basis[9] = from_double<T>(C::k3_yxx) * y * (T(3) * xx - yy);
  basis[10] = from_double<T>(C::k3_xyz) * xy * z;
  basis[11] = from_double<T>(C::k3_yzz) * y * (T(4) * zz - xx - yy);
  basis[12] = from_double<T>(C::k3_zzz) * z * (T(2) * zz - T(3) * (xx + yy));
  basis[13] = from_double<T>(C::k3_yzz) * x * (T(4) * zz - xx - yy);
  basis[14] = from_double<T>(C::k3_zxx) * z * (xx - yy);
  basis[15] = from_double<T>(C::k3_yxx) * x * (xx - T(3) * yy);
  if (degree < 4) return;
  basis[16] = from_double<T>(C::k4_xyxx) * xy * (xx - yy);
  basis[17] = from_double<T>(C::k4_yzxx) * yz * (T(3) * xx - yy);
  basis[18] = from_double<T>(C::k4_xyzz) * xy * (T(7) * zz - T(1));
  basis[19] = from_double<T>(C::k4_yzzz) * yz * (T(7) * zz - T(3));
  basis[20] = from_double<T>(C::k4_zzzz) * (zz * (T(35) * zz - T(30)) + T(3));
  basis[21] = from_double<T>(C::k4_yzzz) * xz * (T(7) * zz - T(3));
  basis[22] = from_double<T>(C::k4_xxzz) * (xx - yy) * (T(7) * zz - T(1));
  basis[23] = from_double<T>(C::k4_yzxx) * xz * (xx - T(3) * yy);
  basis[24] = from_double<T>(C::k4_xxxx) * (xx * (xx - T(3) * yy) - yy * (T(3) * xx - yy));
}

// Gradient of the direction (its three components taken as free), given that of the basis.
template <class T>
TESSERA_HD Vec3<T> sh_basis_vjp(int degree, Vec3<T> d, const T* g) {
  using C = ShConstants;
  const T x = d.x, y = d.y, z = d.z;
  Vec3<T> r = {T(0), T(0), T(0)};
  if (degree < 1) return r;
  r = {from_double<T>(-C::k1) * g[3], from_double<T>(-C::k1) * g[1], from_double<T>(C::k1) * g[2]};
  if (degree < 2) return r;
  const T xx = x * x, yy = y * y, zz = z * z, xy = x * y, yz = y * z, xz = x * z;
  const T g4 = from_double<T>(C::k2_xy) * g[4], g5 = from_double<T>(-C::k2_xy) * g[5],
          g6 = from_double<T>(2 * C::k2_zz) * g[6], g7 = from_double<T>(-C::k2_xy) * g[7],
          g8 = from_double<T>(2 * C::k2_xx) * g[8];
  r.x += y * g4 - x * g6 + z * g7 + x * g8;
  r.y += x * g4 + z * g5 - y * g6 - y * g8;
  r.z += y * g5 + T(2) * z * g6 + x * g7;
  if (degree < 3) return r;
  const T g9 = from_double<T>(3 * C::k3_yxx) * g[9], g10 = from_double<T>(C::k3_xyz) * g[10],
          g11 = from_double<T>(C::k3_yzz) * g[11], g12 = from_double<T>(3 * C::k3_zzz) * g[12],
          g13 = from_double<T>(C::k3_yzz) * g[13], g14 = from_double<T>(C::k3_zxx) * g[14],
          g15 = from_double<T>(3 * C::k3_yxx) * g[15];
  const T xx_yy = xx - yy;
  r.x += T(2) * xy * g9 + yz * g10 - T(2) * xy * g11 - T(2) * xz * g12 +
         (T(4) * zz - T(3) * xx - yy) * g13 + T(2) * xz * g14 + xx_yy * g15;
  r.y += xx_yy * g9 + xz * g10 + (T(4) * zz - xx - T(3) * yy) * g11 - T(2) * yz * g12 -
         T(2) * xy * g13 - T(2) * yz * g14 - T(2) * xy * g15;
  r.z += xy * g10 + T(8) * yz * g11 + (T(2) * zz - xx - yy) * g12 + T(8) * xz * g13 + xx_yy * g14;
  if (degree < 4) return r;
  const T g16 = from_double<T>(C::k4_xyxx) * g[16], g17 = from_double<T>(C::k4_yzxx) * g[17],
          g18 = from_double<T>(C::k4_xyzz) * g[18], g19 = from_double<T>(C::k4_yzzz) * g[19],
          g20 = from_double<T>(C::k4_zzzz) * g[20], g21 = from_double<T>(C::k4_yzzz) * g[21],
          g22 = from_double<T>(C::k4_xxzz) * g[22], g23 = from_double<T>(C::k4_yzxx) * g[23],
          g24 = from_double<T>(4 * C::k4_xxxx) * g[24];
  const T xx3_yy = T(3) * xx - yy, xx_yy3 = xx - T(3) * yy;
  const T zz7_1 = T(7) * zz - T(1), zz7_3 = T(7) * zz - T(3), zz21_3 = T(21) * zz - T(3);
  r.x += y * xx3_yy * g16 + T(6) * xy * z * g17 + y * zz7_1 * g18 + z * zz7_3 * g21 +
         T(2) * x * zz7_1 * g22 + T(3) * z * xx_yy * g23 + x * xx_yy3 * g24;
  r.y += x * xx_yy3 * g16 + T(3) * z * xx_yy * g17 + x * zz7_1 * g18 + z * zz7_3 * g19 -
         T(2) * y * zz7_1 * g22 - T(6) * xy * z * g23 - y * xx3_yy * g24;
  r.z += y * xx3_yy * g17 + T(14) * xy * z * g18 + y * zz21_3 * g19 +
         z * (T(140) * zz - T(60)) * g20 + x * zz21_3 * g21 + T(14) * z * xx_yy * g22 +
         x * xx_yy3 * g23;
  return r;
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
