// SPDX-License-Identifier: MIT
#include "viewer/scene/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/color_map.h"
#include "core/metrics.h"

namespace tessera::viewer {
namespace {

core::Image8 side_by_side(const core::Image8& left, const core::Image8& right) {
  core::Image8 both(2 * left.width, left.height, 3);
  core::copy_pixels(left, 0, 0, both, 0, 0, left.width, left.height);
  core::copy_pixels(right, 0, 0, both, left.width, 0, right.width, right.height);
  return both;
}

core::Image8 split_at(const core::Image8& left, const core::Image8& right, double split) {
  core::Image8 both = left;
  const int at = std::clamp(static_cast<int>(std::lround(split * left.width)), 0, left.width);
  core::copy_pixels(right, at, 0, both, at, 0, right.width - at, right.height);
  return both;
}

core::Image8 difference(const core::Image8& a, const core::Image8& b) {
  core::Image8 picture(a.width, a.height, 3);
  for (int64_t i = 0; i < picture.data.size(); ++i) {
    picture.data[i] = static_cast<uint8_t>(std::abs(a.data[i] - b.data[i]));
  }
  return picture;
}

}  // namespace

core::Image8 compare(Comparison comparison, const core::Image8& render, const core::Image8& photo,
                     const core::Image8& mask, double split) {
  switch (comparison) {
    case Comparison::kOff:
      return render;
    case Comparison::kSideBySide:
      return side_by_side(render, photo);
    case Comparison::kSplit:
      return split_at(render, photo, split);
    case Comparison::kDifference:
      return difference(render, photo);
    case Comparison::kError:
      return core::difference_picture(core::unit_floats(render), core::unit_floats(photo), mask,
                                      core::kDifferenceWhiteAt);
  }
  return render;
}

}  // namespace tessera::viewer
