// A rotation, one scale and a translation: how one frame of reference stands in another.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/math/mat.h"
#include "core/math/vec.h"

namespace tessera::core {

// x_b = scale * rotation * x_a + translation for one named b_from_a; scale above 0.
struct Similarity {
  math::Mat3<double> rotation = math::Mat3<double>::identity();
  math::Vec3<double> translation = {0, 0, 0};
  double scale = 1;

  math::Vec3<double> operator()(math::Vec3<double> x) const {
    return scale * (rotation * x) + translation;
  }
  Similarity inverse() const {
    const math::Mat3<double> turned = transpose(rotation);
    return {turned, -(1 / scale) * (turned * translation), 1 / scale};
  }
  friend bool operator==(const Similarity&, const Similarity&) = default;
};

// c_from_b * b_from_a is c_from_a.
inline Similarity operator*(const Similarity& outer, const Similarity& inner) {
  return {outer.rotation * inner.rotation, outer(inner.translation), outer.scale * inner.scale};
}

}  // namespace tessera::core
