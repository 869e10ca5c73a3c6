// Commands that measure: points in the world, what lies between them, and what follows from a known
// length or three points of the ground.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "viewer/ui/command_words.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

double length(math::Vec3<double> v) {
  return std::sqrt(dot(v, v));
}

const std::vector<math::Vec3<double>>& points_for(const Viewer& viewer, size_t needed) {
  const auto& points = viewer.measured();
  if (points.size() < needed) {
    throw core::Error(
        fmt::format("{} measured points are needed, and there are {}; M and clicks in "
                    "the view set them",
                    needed, points.size()));
  }
  return points;
}

// The line between the last two has that length from now on: everything is scaled around the first
// of them.
void known_length(Viewer& viewer, const Words& words) {
  const double wanted = number(words, 2);
  const auto& points = points_for(viewer, 2);
  const math::Vec3<double> fixed = points[points.size() - 2];
  const double now = length(points.back() - fixed);
  if (wanted <= 0) throw core::UsageError("measure length", "is above 0");
  if (now == 0) throw core::Error("the last two measured points are the same");
  core::Similarity grown;
  grown.scale = wanted / now;
  grown.translation = fixed - grown.scale * fixed;
  viewer.change(ChangeKind::kEdit, "scale to a known length", [&] {
    for (SceneItem& item : viewer.items()) item.placement = grown * item.placement;
  });
  for (math::Vec3<double>& point : viewer.measured()) point = grown(point);
  viewer.say(fmt::format("Scaled by {:.6g}; save the scenes to keep it", grown.scale));
}

// The last three points lie on the ground; up is the side of it where the camera is.
void ground(Viewer& viewer) {
  const auto& points = points_for(viewer, 3);
  const math::Vec3<double> at = points.back();
  const math::Vec3<double> normal =
      cross(points[points.size() - 3] - at, points[points.size() - 2] - at);
  if (length(normal) < 1e-12) throw core::Error("the last three measured points are in one line");
  const double side = dot(viewer.camera().camera().center - at, normal) < 0 ? -1 : 1;
  viewer.camera().set_up((side / length(normal)) * normal);
}

void measure(Viewer& viewer, const Words& words) {
  const std::string& what = word(words, 1, "what to do");
  if (what == "point") {
    viewer.measured().push_back(vector(words, 2));
  } else if (what == "clear") {
    viewer.measured().clear();
  } else if (what == "length") {
    known_length(viewer, words);
  } else if (what == "ground") {
    ground(viewer);
  } else {
    throw core::UsageError("measure", "is by point, clear, length or ground, not " + what);
  }
}

constexpr CommandEntry kCommands[] = {
    {"measure", "point X Y Z | clear | length L | ground",
     "set points; scale by a known length; set the vertical by three points", measure},
};

constexpr ActionEntry kActions[] = {
    {"Measure", "Set points", "tool measure", "M",
     [](const Viewer& v) { return v.tool().tool() == Tool::kMeasure; }},
    {"Measure", "Three points are the ground", "measure ground", ""},
    {"Measure", "Clear", "measure clear", ""},
};

}  // namespace

std::span<const CommandEntry> measure_commands() {
  return kCommands;
}

std::span<const ActionEntry> measure_actions() {
  return kActions;
}

}  // namespace tessera::viewer
