// Dual numbers: a value and its derivative along one direction. Tests hold every f_vjp against
// them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "core/math/host_device.h"
#include "core/math/select.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

struct Dual {
  double value = 0;
  double derivative = 0;

  Dual() = default;
  Dual(double v) : value(v) {}  // a constant; implicit, so that templated code may write T(0.5)
  Dual(double v, double d) : value(v), derivative(d) {}
};

template <>
struct FromDouble<Dual> {
  static Dual of(double a) { return a; }
};

inline Dual operator+(Dual a, Dual b) {
  return {a.value + b.value, a.derivative + b.derivative};
}
inline Dual operator-(Dual a, Dual b) {
  return {a.value - b.value, a.derivative - b.derivative};
}
inline Dual operator-(Dual a) {
  return {-a.value, -a.derivative};
}
inline Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
}
inline Dual operator/(Dual a, Dual b) {
  const double q = a.value / b.value;
  return {q, (a.derivative - q * b.derivative) / b.value};
}
inline Dual& operator+=(Dual& a, Dual b) {
  return a = a + b;
}
inline Dual& operator-=(Dual& a, Dual b) {
  return a = a - b;
}
inline bool operator<(Dual a, Dual b) {
  return a.value < b.value;
}
inline bool operator>(Dual a, Dual b) {
  return a.value > b.value;
}
inline bool operator<=(Dual a, Dual b) {
  return a.value <= b.value;
}
inline bool operator>=(Dual a, Dual b) {
  return a.value >= b.value;
}

inline Dual select(bool mask, Dual if_true, Dual if_false) {
  return mask ? if_true : if_false;
}
inline Dual sqrt(Dual a) {
  const double root = std::sqrt(a.value);
  return {root, a.derivative / (2 * root)};
}
inline Dual exp(Dual a) {
  const double e = std::exp(a.value);
  return {e, a.derivative * e};
}
inline Dual tan(Dual a) {
  const double t = std::tan(a.value);
  return {t, a.derivative * (1 + t * t)};
}
inline Dual atan(Dual a) {
  return {std::atan(a.value), a.derivative / (1 + a.value * a.value)};
}
inline Dual log2(Dual a) {
  return {std::log2(a.value), a.derivative / (a.value * 0.69314718055994530942)};
}
inline Dual exp2(Dual a) {
  const double e = std::exp2(a.value);
  return {e, a.derivative * e * 0.69314718055994530942};
}
inline Dual abs(Dual a) {
  return a.value < 0 ? -a : a;
}
inline Dual min(Dual a, Dual b) {
  return a.value < b.value ? a : b;
}
inline Dual max(Dual a, Dual b) {
  return a.value > b.value ? a : b;
}
inline Dual mul_add(Dual a, Dual b, Dual c) {
  return a * b + c;
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
