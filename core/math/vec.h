// Small vectors over any of the number types of core/math.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/host_device.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

template <class T>
struct Vec2 {
  T x, y;

  friend bool operator==(const Vec2&, const Vec2&) = default;
};

template <class T>
struct Vec3 {
  T x, y, z;

  friend bool operator==(const Vec3&, const Vec3&) = default;
};

template <class T>
struct Vec4 {
  T w, x, y, z;
};

template <class T>
TESSERA_HD Vec2<T> operator+(Vec2<T> a, Vec2<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
TESSERA_HD Vec2<T> operator-(Vec2<T> a, Vec2<T> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
TESSERA_HD Vec2<T> operator*(Vec2<T> a, T s) {
  return {a.x * s, a.y * s};
}
template <class T>
TESSERA_HD T dot(Vec2<T> a, Vec2<T> b) {
  return a.x * b.x + a.y * b.y;
}

template <class T>
TESSERA_HD Vec3<T> operator+(Vec3<T> a, Vec3<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
TESSERA_HD Vec3<T> operator-(Vec3<T> a, Vec3<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
TESSERA_HD Vec3<T> operator-(Vec3<T> a) {
  return {-a.x, -a.y, -a.z};
}
template <class T>
TESSERA_HD Vec3<T> operator*(Vec3<T> a, T s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class T>
TESSERA_HD Vec3<T> operator*(T s, Vec3<T> a) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class T>
TESSERA_HD T dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
TESSERA_HD Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T>
TESSERA_HD Vec4<T> operator+(Vec4<T> a, Vec4<T> b) {
  return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
TESSERA_HD Vec4<T> operator*(Vec4<T> a, T s) {
  return {a.w * s, a.x * s, a.y * s, a.z * s};
}
template <class T>
TESSERA_HD T dot(Vec4<T> a, Vec4<T> b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
