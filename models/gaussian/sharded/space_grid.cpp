// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/space_grid.h"

#include <algorithm>

namespace tessera::models {

// Half the cube's side, in extents: what surrounds the cameras' own region is seen from afar, as
// one thing.
constexpr double kCubeExtents = 1.5;

SpaceGrid::SpaceGrid(math::Vec3<double> center, double extent) {
  const double half = kCubeExtents * extent;
  origin_[0] = static_cast<float>(center.x - half);
  origin_[1] = static_cast<float>(center.y - half);
  origin_[2] = static_cast<float>(center.z - half);
  cells_per_unit_ = static_cast<float>(kCells / (2 * half));
}

int64_t SpaceGrid::cell(const core::GaussianCloud& cloud, int64_t gaussian) const {
  int64_t cell = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const float at =
        (cloud.plane(core::kMeanPlane + axis)[gaussian] - origin_[axis]) * cells_per_unit_;
    // What is no number counts as far away.
    const float inside = at >= 0 ? std::min(at, static_cast<float>(kCells - 1)) : 0.0F;
    cell = cell * kCells + static_cast<int64_t>(inside);
  }
  return cell;
}

}  // namespace tessera::models
