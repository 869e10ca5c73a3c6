// 3x3 matrices and symmetric 2x2 and 3x3 ones over any of the number types of core/math.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/vec.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

template <class T>
struct Mat3 {
  T m[3][3];  // m[row][column]

  TESSERA_HD static Mat3 identity() {
    return {{{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}};
  }

  friend bool operator==(const Mat3&, const Mat3&) = default;
};

template <class T>
struct Sym2 {
  T xx, xy, yy;
};

template <class T>
struct Sym3 {
  T xx, xy, xz, yy, yz, zz;
};

template <class T>
TESSERA_HD Vec3<T> operator*(const Mat3<T>& a, Vec3<T> v) {
  return {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
          a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
          a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}

// a^T v, without forming the transpose.
template <class T>
TESSERA_HD Vec3<T> transposed_times(const Mat3<T>& a, Vec3<T> v) {
  return {a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
          a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
          a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}

template <class T>
TESSERA_HD Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> c;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    }
  }
  return c;
}

template <class T>
TESSERA_HD Mat3<T> transpose(const Mat3<T>& a) {
  return {{{a.m[0][0], a.m[1][0], a.m[2][0]},
           {a.m[0][1], a.m[1][1], a.m[2][1]},
           {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

template <class T>
TESSERA_HD T determinant(const Mat3<T>& a) {
  return a.m[0][0] * (a.m[1][1] * a.m[2][2] - a.m[1][2] * a.m[2][1]) -
         a.m[0][1] * (a.m[1][0] * a.m[2][2] - a.m[1][2] * a.m[2][0]) +
         a.m[0][2] * (a.m[1][0] * a.m[2][1] - a.m[1][1] * a.m[2][0]);
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
