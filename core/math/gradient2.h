// A value and its partial derivatives along two directions, over any number type: second
// derivatives of a function are the gradients of its first ones.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "core/math/select.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

template <class T>
struct Gradient2 {
  T value, dx, dy;

  Gradient2() = default;
  // A constant; implicit, so that templated code may write T(0.5F).
  TESSERA_HD Gradient2(float a) : value(a), dx(0.0F), dy(0.0F) {}
  TESSERA_HD Gradient2(T v, T along_x, T along_y) : value(v), dx(along_x), dy(along_y) {}

  // The chain rule for a function with this value and derivative here.
  TESSERA_HD Gradient2 through(T f, T derivative) const {
    return {f, derivative * dx, derivative * dy};
  }
};

// from_double of a Gradient2 is a constant.
template <class T>
struct FromDouble<Gradient2<T>> {
  static TESSERA_HD Gradient2<T> of(double a) { return {FromDouble<T>::of(a), T(0.0F), T(0.0F)}; }
};

template <class T>
TESSERA_HD Gradient2<T> operator+(Gradient2<T> a, Gradient2<T> b) {
  return {a.value + b.value, a.dx + b.dx, a.dy + b.dy};
}
template <class T>
TESSERA_HD Gradient2<T> operator-(Gradient2<T> a, Gradient2<T> b) {
  return {a.value - b.value, a.dx - b.dx, a.dy - b.dy};
}
template <class T>
TESSERA_HD Gradient2<T> operator-(Gradient2<T> a) {
  return {-a.value, -a.dx, -a.dy};
}
template <class T>
TESSERA_HD Gradient2<T> operator*(Gradient2<T> a, Gradient2<T> b) {
  return {a.value * b.value, a.dx * b.value + a.value * b.dx, a.dy * b.value + a.value * b.dy};
}
template <class T>
TESSERA_HD Gradient2<T> operator/(Gradient2<T> a, Gradient2<T> b) {
  const T inverse = T(1) / b.value;
  const T q = a.value * inverse;
  return {q, (a.dx - q * b.dx) * inverse, (a.dy - q * b.dy) * inverse};
}
template <class T>
TESSERA_HD auto operator<(Gradient2<T> a, Gradient2<T> b) {
  return a.value < b.value;
}
template <class Mask, class T>
TESSERA_HD Gradient2<T> select(Mask mask, Gradient2<T> a, Gradient2<T> b) {
  return {select(mask, a.value, b.value), select(mask, a.dx, b.dx), select(mask, a.dy, b.dy)};
}
template <class T>
TESSERA_HD Gradient2<T> sqrt(Gradient2<T> a) {
  const T root = sqrt(a.value);
  return a.through(root, T(0.5F) / root);
}
template <class T>
TESSERA_HD Gradient2<T> atan(Gradient2<T> a) {
  return a.through(atan(a.value), T(1) / (T(1) + a.value * a.value));
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
