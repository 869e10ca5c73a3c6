// A smooth way of a camera through key frames: Catmull and Rom's spline through places, targets and
// verticals.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include "core/math/vec.h"

namespace tessera::core {

struct CameraKey {
  math::Vec3<double> position, target, up;
  double fov_deg = 50;  // vertical
};

// At `at` key frames from the first, 0 to keys.size() - 1; at whole numbers the key itself. `keys`
// is not empty.
inline CameraKey on_curve(const std::vector<CameraKey>& keys, double at) {
  const int last = static_cast<int>(keys.size()) - 1;
  const int k = std::clamp(static_cast<int>(at), 0, std::max(last - 1, 0));
  const double t = at - k, t2 = t * t, t3 = t2 * t;
  const auto key = [&](int j) -> const CameraKey& { return keys[std::clamp(j, 0, last)]; };
  const auto curve = [&](math::Vec3<double> CameraKey::*member) {
    return key(k - 1).*member * (-0.5 * t + t2 - 0.5 * t3) +
           key(k).*member * (1 - 2.5 * t2 + 1.5 * t3) +
           key(k + 1).*member * (0.5 * t + 2 * t2 - 1.5 * t3) +
           key(k + 2).*member * (-0.5 * t2 + 0.5 * t3);
  };
  return {curve(&CameraKey::position), curve(&CameraKey::target), curve(&CameraKey::up),
          key(k).fov_deg * (1 - t) + key(k + 1).fov_deg * t};
}

}  // namespace tessera::core
