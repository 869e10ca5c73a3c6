// What the summaries of `tessera inspect` share: bounds, and how problems are listed.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

namespace tessera::apps {

struct Bounds {
  std::array<double, 3> lowest = {};
  std::array<double, 3> highest = {};
};

// Coordinates by axis: three arrays of one length.
using AxisValues = std::array<std::vector<double>, 3>;

// All zero if there are no values.
Bounds bounds_of(const AxisValues& values);
// Without the outer hundredth on each side of each axis. Reorders the values.
Bounds middle_bounds_of(AxisValues& values);

// "-1 to 2,  -3 to 4,  0 to 1"
std::string bounds_text(const Bounds& bounds);
// {"lowest": [x, y, z], "highest": [x, y, z]}
std::string bounds_json(const Bounds& bounds);
// One line each under a heading; a line that says so if there are none.
std::string problems_text(const std::vector<std::string>& problems);

}  // namespace tessera::apps
