// Whole numbers for places in space: a cube around where the cameras stand; what lies beyond counts
// to its border.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/gaussian_cloud.h"
#include "core/math/vec.h"
#include "distributed/point_partition.h"

namespace tessera::models {

class SpaceGrid {
 public:
  static constexpr int kCells = 64;  // along each axis
  static constexpr int64_t kSize = int64_t{kCells} * kCells * kCells;

  // `center` and `extent` of the cameras, see scene_extent.
  SpaceGrid(math::Vec3<double> center, double extent);

  // On the lattice of 65,536 steps along each of the cube's sides.
  distributed::LatticePoint point(const core::GaussianCloud& cloud, int64_t gaussian) const;
  int64_t cell(const core::GaussianCloud& cloud, int64_t gaussian) const;

 private:
  float origin_[3];
  float steps_per_unit_;
};

}  // namespace tessera::models
