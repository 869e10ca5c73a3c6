// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/space_grid.h"

#include <algorithm>

namespace tessera::models {

// Half the cube's side, in extents: what surrounds the cameras' own region is seen from afar, as
// one thing.
constexpr double kCubeExtents = 1.5;

constexpr int kSteps = 1 << 16;  // of the lattice

SpaceGrid::SpaceGrid(math::Vec3<double> center, double extent) {
  const double half = kCubeExtents * extent;
  origin_[0] = static_cast<float>(center.x - half);
  origin_[1] = static_cast<float>(center.y - half);
  origin_[2] = static_cast<float>(center.z - half);
  steps_per_unit_ = static_cast<float>(kSteps / (2 * half));
}

distributed::LatticePoint SpaceGrid::point(const core::GaussianCloud& cloud,
                                           int64_t gaussian) const {
  distributed::LatticePoint point;
  for (int axis = 0; axis < 3; ++axis) {
    const float at =
        (cloud.plane(core::kMeanPlane + axis)[gaussian] - origin_[axis]) * steps_per_unit_;
    // What is no number counts as far away.
    const float inside = at >= 0 ? std::min(at, static_cast<float>(kSteps - 1)) : 0.0F;
    point[axis] = static_cast<uint16_t>(inside);
  }
  return point;
}

int64_t SpaceGrid::cell(const core::GaussianCloud& cloud, int64_t gaussian) const {
  constexpr int kStepsPerCell = kSteps / kCells;
  const distributed::LatticePoint at = point(cloud, gaussian);
  return (int64_t{at[2]} / kStepsPerCell * kCells + at[1] / kStepsPerCell) * kCells +
         at[0] / kStepsPerCell;
}

}  // namespace tessera::models
