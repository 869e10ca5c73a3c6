// Branch-free choice and the elementary functions, under one name for all number types, so that
// templated mathematics reads the same for float, double, Dual and Pack.
//
// Pack and Dual bring overloads of these in their own headers (found by their namespace).
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "core/math/host_device.h"

namespace tessera::math {
inline namespace TESSERA_ISA_NAMESPACE {

#define TESSERA_SCALAR_FUNCTIONS(T)                       \
  TESSERA_HD T select(bool mask, T if_true, T if_false) { \
    return mask ? if_true : if_false;                     \
  }                                                       \
  TESSERA_HD T sqrt(T a) {                                \
    return std::sqrt(a);                                  \
  }                                                       \
  TESSERA_HD T atan(T a) {                                \
    return std::atan(a);                                  \
  }                                                       \
  TESSERA_HD T exp(T a) {                                 \
    return std::exp(a);                                   \
  }                                                       \
  TESSERA_HD T log2(T a) {                                \
    return std::log2(a);                                  \
  }                                                       \
  TESSERA_HD T exp2(T a) {                                \
    return std::exp2(a);                                  \
  }                                                       \
  TESSERA_HD T abs(T a) {                                 \
    return std::fabs(a);                                  \
  }                                                       \
  TESSERA_HD T min(T a, T b) {                            \
    return a < b ? a : b;                                 \
  }                                                       \
  TESSERA_HD T max(T a, T b) {                            \
    return a > b ? a : b;                                 \
  }                                                       \
  TESSERA_HD T mul_add(T a, T b, T c) {                   \
    return a * b + c;                                     \
  }

TESSERA_SCALAR_FUNCTIONS(float)
TESSERA_SCALAR_FUNCTIONS(double)
#undef TESSERA_SCALAR_FUNCTIONS

TESSERA_HD bool mask_and(bool a, bool b) {
  return a && b;
}
TESSERA_HD bool mask_or(bool a, bool b) {
  return a || b;
}

// A constant or a camera's value in type T. double and Dual keep it whole, the others round it to
// float.
template <class T>
struct FromDouble {
  static TESSERA_HD T of(double a) { return T(static_cast<float>(a)); }
};
template <>
struct FromDouble<double> {
  static TESSERA_HD double of(double a) { return a; }
};
template <class T>
TESSERA_HD T from_double(double a) {
  return FromDouble<T>::of(a);
}

template <class T>
TESSERA_HD T sigmoid(T a) {
  return T(1) / (T(1) + exp(-a));
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::math
