// Rotations from quaternions w x y z of any length, and the other way round.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/mat.h"
#include "core/math/select.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

template <class T>
TESSERA_HD Mat3<T> rotation_of_unit(Vec4<T> q) {
  const T two(2), one(1);
  return {{{one - two * (q.y * q.y + q.z * q.z), two * (q.x * q.y - q.w * q.z),
            two * (q.x * q.z + q.w * q.y)},
           {two * (q.x * q.y + q.w * q.z), one - two * (q.x * q.x + q.z * q.z),
            two * (q.y * q.z - q.w * q.x)},
           {two * (q.x * q.z - q.w * q.y), two * (q.y * q.z + q.w * q.x),
            one - two * (q.x * q.x + q.y * q.y)}}};
}

// The rotation of q / |q|; q must not be zero.
template <class T>
TESSERA_HD Mat3<T> rotation_from_quaternion(Vec4<T> q) {
  return rotation_of_unit(q * (T(1) / sqrt(dot(q, q))));
}

// Gradient of q, given that of the matrix.
template <class T>
TESSERA_HD Vec4<T> rotation_from_quaternion_vjp(Vec4<T> q, const Mat3<T>& g) {
  const T inverse_length = T(1) / sqrt(dot(q, q));
  const Vec4<T> u = q * inverse_length;
  const T two(2), four(4);
  Vec4<T> du;
  du.w = two * (u.x * (g.m[2][1] - g.m[1][2]) + u.y * (g.m[0][2] - g.m[2][0]) +
                u.z * (g.m[1][0] - g.m[0][1]));
  du.x = two * (u.y * (g.m[0][1] + g.m[1][0]) + u.z * (g.m[0][2] + g.m[2][0]) +
                u.w * (g.m[2][1] - g.m[1][2])) -
         four * u.x * (g.m[1][1] + g.m[2][2]);
  du.y = two * (u.x * (g.m[0][1] + g.m[1][0]) + u.z * (g.m[1][2] + g.m[2][1]) +
                u.w * (g.m[0][2] - g.m[2][0])) -
         four * u.y * (g.m[0][0] + g.m[2][2]);
  du.z = two * (u.x * (g.m[0][2] + g.m[2][0]) + u.y * (g.m[1][2] + g.m[2][1]) +
                u.w * (g.m[1][0] - g.m[0][1])) -
         four * u.z * (g.m[0][0] + g.m[1][1]);
  const T along = dot(u, du);
  return (du + u * (-along)) * inverse_length;
}

// The unit quaternion, w >= 0, of a rotation matrix (Shepperd's choice of the largest component).
// For scalars only.
template <class T>
TESSERA_HD Vec4<T> quaternion_from_rotation(const Mat3<T>& r) {
  const T trace = r.m[0][0] + r.m[1][1] + r.m[2][2];
  Vec4<T> q;
  if (trace > T(0)) {
    q = {trace + T(1), r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1]};
  } else if (r.m[0][0] >= r.m[1][1] && r.m[0][0] >= r.m[2][2]) {
    q = {r.m[2][1] - r.m[1][2], T(1) + r.m[0][0] - r.m[1][1] - r.m[2][2], r.m[0][1] + r.m[1][0],
         r.m[0][2] + r.m[2][0]};
  } else if (r.m[1][1] >= r.m[2][2]) {
    q = {r.m[0][2] - r.m[2][0], r.m[0][1] + r.m[1][0], T(1) + r.m[1][1] - r.m[0][0] - r.m[2][2],
         r.m[1][2] + r.m[2][1]};
  } else {
    q = {r.m[1][0] - r.m[0][1], r.m[0][2] + r.m[2][0], r.m[1][2] + r.m[2][1],
         T(1) + r.m[2][2] - r.m[0][0] - r.m[1][1]};
  }
  const T length = sqrt(dot(q, q));
  return q * ((q.w < T(0) ? T(-1) : T(1)) / length);
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
