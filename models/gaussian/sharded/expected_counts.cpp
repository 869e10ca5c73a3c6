// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/expected_counts.h"

#include <limits>

namespace tessera::models {

void ExpectedCounts::set(int index, const core::PosedCamera& camera, const Counts& counts) {
  shown_[index] = {center_in_world(camera.cam_from_world), counts};
}

ExpectedCounts::Counts ExpectedCounts::of(int index, const core::PosedCamera& camera) const {
  const auto found = shown_.find(index);
  if (found != shown_.end()) return found->second.counts;
  const math::Vec3<double> center = center_in_world(camera.cam_from_world);
  Counts nearest = {std::vector<int64_t>(ranks_, 0), {}};
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [other, shown] : shown_) {
    const math::Vec3<double> offset = shown.center - center;
    const double distance = dot(offset, offset);
    if (distance >= least) continue;
    least = distance;
    nearest = shown.counts;
  }
  return nearest;
}

}  // namespace tessera::models
