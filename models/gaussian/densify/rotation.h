// The rotation of one stored quaternion, for the rules that move means.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "core/math/mat.h"

namespace tessera::models {

// `q`: w x y z, of any length but zero.
inline math::Mat3<float> rotation_of(const float q[4]) {
  const float inverse = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const float w = q[0] * inverse, x = q[1] * inverse, y = q[2] * inverse, z = q[3] * inverse;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

}  // namespace tessera::models
