// Commands of pictures, the camera, the display and the list of scenes.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/math/quat.h"
#include "viewer/ui/command_words.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

void screenshot(Viewer& viewer, const Words& words) {
  const std::filesystem::path path = word(words, 1, "a file");
  int width = viewer.view_rect().width, height = viewer.view_rect().height;
  if (words.size() > 2) {
    width = static_cast<int>(number(words, 2));
    height = static_cast<int>(number(words, 3));
  }
  if (width < 1 || height < 1 || width > 16384 || height > 16384) {
    throw core::UsageError("screenshot", "a picture has 1 to 16384 pixels on a side");
  }
  const bool exact = words.size() > 4 && words[4] == "exact";
  viewer.host().save_picture(
      path, exact ? viewer.exact_picture(width, height) : viewer.picture(width, height));
  viewer.say("Saved " + path.string());
}

void mode(Viewer& viewer, const Words& words) {
  const std::string& name = word(words, 1, "a mode");
  std::vector<std::string> names;
  for (size_t i = 0; i < std::size(kDrawModes); ++i) {
    if (kDrawModes[i].name == name) {
      viewer.style().splats.mode = static_cast<DrawMode>(i);
      return;
    }
    names.emplace_back(kDrawModes[i].name);
  }
  throw core::UsageError("mode", fmt::format("is one of {}, not {}", fmt::join(names, ", "), name));
}

void up(Viewer& viewer, const Words& words) {
  const std::string& axis = word(words, 1, "an axis");
  if (axis.size() == 2 && (axis[0] == '+' || axis[0] == '-') && axis[1] >= 'x' && axis[1] <= 'z') {
    const double sign = axis[0] == '+' ? 1 : -1;
    viewer.camera().set_up(
        {axis[1] == 'x' ? sign : 0, axis[1] == 'y' ? sign : 0, axis[1] == 'z' ? sign : 0});
    return;
  }
  viewer.camera().set_up(vector(words, 1));
}

void camera(Viewer& viewer, const Words& words) {
  const math::Vec3<double> center = vector(words, 1), target = vector(words, 4);
  const math::Vec3<double> to = target - center;
  if (dot(to, to) == 0) throw core::UsageError("camera", "cannot look at where it stands");
  ViewCamera view = looking_at(center, target, viewer.camera().up());
  view.fov_y = viewer.camera().target().fov_y;
  view.orthographic = viewer.camera().target().orthographic;
  viewer.camera().go_to(view);
}

void bookmark(Viewer& viewer, const Words& words) {
  const auto place = static_cast<size_t>(number(words, 1));
  if (place < 1 || place > viewer.bookmarks().size()) {
    throw core::UsageError("bookmark", "is 1 to 9");
  }
  std::optional<ViewCamera>& kept = viewer.bookmarks()[place - 1];
  if (words.size() > 2 && words[2] == "set") {
    kept = viewer.camera().target();
    viewer.say(fmt::format("Bookmark {} set; {} goes there", place, place));
  } else if (kept) {
    viewer.camera().go_to(*kept);
  } else {
    throw core::Error(fmt::format("there is no bookmark {}; Ctrl+{} sets it", place, place));
  }
}

void rename(Viewer& viewer, const Words& words) {
  const std::string name = word(words, 1, "a name");
  SceneItem& item = current(viewer);
  viewer.change(ChangeKind::kArrangement, "rename " + item.name, [&] { item.name = name; });
}

void remove(Viewer& viewer, const Words& /*words*/) {
  const SceneItem& item = current(viewer);
  viewer.change(ChangeKind::kArrangement, "close " + item.name, [&] { viewer.remove(item.id); });
}

void duplicate(Viewer& viewer, const Words& /*words*/) {
  SceneItem copy = current(viewer);
  copy.name += " copy";
  copy.origin_in_file = viewer.items().front().origin_in_file;
  viewer.change(ChangeKind::kArrangement, "duplicate", [&] { viewer.add(std::move(copy)); });
}

void show(Viewer& viewer, const Words& words) {
  SceneItem& item = current(viewer);
  item.visible = on_or_off(words, item.visible);
}

void choose(Viewer& viewer, const Words& words) {
  const auto place = static_cast<size_t>(number(words, 1));
  if (place < 1 || place > viewer.items().size()) {
    throw core::UsageError("choose", "counts scenes from 1");
  }
  viewer.set_current(viewer.items()[place - 1].id);
}

// By so many places in the list, as far as it goes.
void order(Viewer& viewer, const Words& words) {
  std::vector<SceneItem>& items = viewer.items();
  const auto at = static_cast<int64_t>(&current(viewer) - items.data());
  const int64_t to = std::clamp<int64_t>(at + static_cast<int64_t>(number(words, 1)), 0,
                                         static_cast<int64_t>(items.size()) - 1);
  viewer.change(ChangeKind::kArrangement, "order", [&] {
    SceneItem moved = std::move(items[at]);
    items.erase(items.begin() + at);
    items.insert(items.begin() + to, std::move(moved));
  });
}

void move(Viewer& viewer, const Words& words) {
  const math::Vec3<double> to = vector(words, 1);
  SceneItem& item = current(viewer);
  viewer.change(ChangeKind::kEdit, "move " + item.name, [&] { item.placement.translation = to; });
}

// Around the middle of what is seen of it, so that it stays where it is.
void rotate(Viewer& viewer, const Words& words) {
  const math::Vec3<double> axis = vector(words, 1);
  const double angle = number(words, 4) * M_PI / 180, length = std::sqrt(dot(axis, axis));
  if (length == 0) throw core::UsageError("rotate", "takes an axis that is not 0");
  const double half = std::sin(angle / 2) / length;
  core::Similarity turn;
  turn.rotation = math::rotation_from_quaternion(
      math::Vec4<double>{std::cos(angle / 2), half * axis.x, half * axis.y, half * axis.z});
  SceneItem& item = current(viewer);
  const math::Vec3<double> middle = item.placement(extent_of(item).center);
  turn.translation = middle - turn.rotation * middle;
  viewer.change(ChangeKind::kEdit, "turn " + item.name,
                [&] { item.placement = turn * item.placement; });
}

void scale(Viewer& viewer, const Words& words) {
  const double by = number(words, 1);
  if (by <= 0) throw core::UsageError("scale", "is above 0");
  SceneItem& item = current(viewer);
  const math::Vec3<double> center = extent_of(item).center;
  const math::Vec3<double> middle = item.placement(center);
  viewer.change(ChangeKind::kEdit, "scale " + item.name, [&] {
    item.placement.scale = by;
    item.placement.translation = item.placement.translation + middle - item.placement(center);
  });
}

constexpr CommandEntry kCommands[] = {
    {"screenshot", "FILE [W H [exact]]", "save the view as a picture", screenshot},
    {"quit", "[anyway]", "close the window; anyway: with edits that are not saved",
     [](Viewer& v, const Words& w) { v.quit(w.size() > 1 && w[1] == "anyway"); }},
    {"mode", "MODE", "how splats are drawn", mode},
    {"degree", "N", "color degrees that are used",
     [](Viewer& v, const Words& w) {
       v.style().splats.sh_degree =
           std::clamp(static_cast<int>(number(w, 1)), 0, core::kMaxShDegree);
     }},
    {"antialiased", "[on|off]", "draw as scenes that were trained so",
     [](Viewer& v, const Words& w) {
       v.style().splats.antialiased = on_or_off(w, v.style().splats.antialiased);
     }},
    {"background", "R G B", "its color, of 0 to 1",
     [](Viewer& v, const Words& w) {
       const math::Vec3<double> c = vector(w, 1);
       v.style().splats.background = {static_cast<float>(c.x), static_cast<float>(c.y),
                                      static_cast<float>(c.z)};
     }},
    {"depths", "NEAR FAR", "the ends of the color scale of depths",
     [](Viewer& v, const Words& w) {
       v.style().splats.depth_shown = {static_cast<float>(number(w, 1)),
                                       static_cast<float>(number(w, 2))};
     }},
    {"cameras", "[on|off]", "show where photos were taken",
     [](Viewer& v, const Words& w) { v.style().cameras = on_or_off(w, v.style().cameras); }},
    {"outlines", "[on|off]", "show the layers of multiplane images",
     [](Viewer& v, const Words& w) { v.style().outlines = on_or_off(w, v.style().outlines); }},
    {"home", "", "go where the scene begins", [](Viewer& v, const Words&) { v.go_home(); }},
    {"frame", "", "see all", [](Viewer& v, const Words&) { v.show_all(); }},
    {"reset", "", "go home, upright, with the first field of view",
     [](Viewer& v, const Words&) {
       v.camera().set_orthographic(false);
       v.go_home();
     }},
    {"up", "AXIS|X Y Z", "the world's vertical: +x, -x, ... -z or a direction", up},
    {"level", "", "set the horizon level", [](Viewer& v, const Words&) { v.camera().level(); }},
    {"look", "X Y Z", "look along a direction around the same pivot",
     [](Viewer& v, const Words& w) { v.camera().look_along(vector(w, 1)); }},
    {"camera", "X Y Z TX TY TZ", "stand at a place and look at another", camera},
    {"fov", "DEGREES", "the vertical field of view",
     [](Viewer& v, const Words& w) { v.camera().set_fov(number(w, 1)); }},
    {"orthographic", "[on|off]", "no perspective",
     [](Viewer& v, const Words& w) {
       v.camera().set_orthographic(on_or_off(w, v.camera().target().orthographic));
     }},
    {"bookmark", "N [set]", "go to a bookmark or set it", bookmark},
    {"choose", "N", "choose a scene of the list", choose},
    {"show", "[on|off]", "show or hide the chosen scene", show},
    {"rename", "NAME", "rename the chosen scene", rename},
    {"remove", "", "close the chosen scene", remove},
    {"duplicate", "", "open the chosen scene once more", duplicate},
    {"order", "N", "move the chosen scene N places down the list", order},
    {"move", "X Y Z", "where the chosen scene's origin stands", move},
    {"rotate", "X Y Z DEGREES", "turn the chosen scene around an axis through its middle", rotate},
    {"scale", "S", "how much larger the chosen scene is than in its file", scale},
    {"panels", "[on|off]", "show the panels",
     [](Viewer& v, const Words& w) { v.shown().panels = on_or_off(w, v.shown().panels); }},
    {"keys", "[on|off]", "list the keys",
     [](Viewer& v, const Words& w) { v.shown().keys = on_or_off(w, v.shown().keys); }},
    {"dark", "[on|off]", "dark or light colors",
     [](Viewer& v, const Words& w) { v.shown().dark = on_or_off(w, v.shown().dark); }},
    {"font", "SCALE", "the size of text, 1 as it comes",
     [](Viewer& v, const Words& w) {
       v.shown().font_scale = static_cast<float>(std::clamp(number(w, 1), 0.5, 3.0));
     }},
    {"dismiss", "", "close what is said and listed",
     [](Viewer& v, const Words&) {
       v.notices().clear();
       v.shown().keys = false;
       v.shown().unsaved = false;
     }},
};

constexpr ActionEntry kActions[] = {
    {"File", "Close scene", "remove", ""},
    {"File", "Quit", "quit", "Ctrl+Q"},
    {"View", "Splats", "mode splats", "",
     [](const Viewer& v) { return v.style().splats.mode == DrawMode::kSplats; }},
    {"View", "Centers", "mode centers", "",
     [](const Viewer& v) { return v.style().splats.mode == DrawMode::kCenters; }},
    {"View", "Ellipsoids", "mode ellipsoids", "",
     [](const Viewer& v) { return v.style().splats.mode == DrawMode::kEllipsoids; }},
    {"View", "Depth", "mode depth", "",
     [](const Viewer& v) { return v.style().splats.mode == DrawMode::kDepth; }},
    {"View", "Normals", "mode normals", "",
     [](const Viewer& v) { return v.style().splats.mode == DrawMode::kNormals; }},
    {"View", "Opacity", "mode alpha", "",
     [](const Viewer& v) { return v.style().splats.mode == DrawMode::kAlpha; }},
    {"View", "Overlaps", "mode overlaps", "",
     [](const Viewer& v) { return v.style().splats.mode == DrawMode::kOverlaps; }},
    {"View", "Cameras of photos", "cameras", "C",
     [](const Viewer& v) { return v.style().cameras; }},
    {"View", "Panels", "panels", "Tab", [](const Viewer& v) { return v.shown().panels; }},
    {"View", "Dark colors", "dark", "", [](const Viewer& v) { return v.shown().dark; }},
    {"Camera", "Home", "home", "H"},
    {"Camera", "See all", "frame", "F"},
    {"Camera", "Reset", "reset", "Shift+F"},
    {"Camera", "Level", "level", "L"},
    {"Camera", "Orthographic", "orthographic", "O",
     [](const Viewer& v) { return v.camera().target().orthographic; }},
    {"Camera", "Bookmark 1", "bookmark 1", "1"},
    {"Camera", "Bookmark 2", "bookmark 2", "2"},
    {"Camera", "Bookmark 3", "bookmark 3", "3"},
    {"Camera", "Bookmark 4", "bookmark 4", "4"},
    {"Camera", "Bookmark 5", "bookmark 5", "5"},
    {"Camera", "Bookmark 6", "bookmark 6", "6"},
    {"Camera", "Bookmark 7", "bookmark 7", "7"},
    {"Camera", "Bookmark 8", "bookmark 8", "8"},
    {"Camera", "Bookmark 9", "bookmark 9", "9"},
    {"Camera", "Set bookmark 1", "bookmark 1 set", "Ctrl+1"},
    {"Camera", "Set bookmark 2", "bookmark 2 set", "Ctrl+2"},
    {"Camera", "Set bookmark 3", "bookmark 3 set", "Ctrl+3"},
    {"Camera", "Set bookmark 4", "bookmark 4 set", "Ctrl+4"},
    {"Camera", "Set bookmark 5", "bookmark 5 set", "Ctrl+5"},
    {"Camera", "Set bookmark 6", "bookmark 6 set", "Ctrl+6"},
    {"Camera", "Set bookmark 7", "bookmark 7 set", "Ctrl+7"},
    {"Camera", "Set bookmark 8", "bookmark 8 set", "Ctrl+8"},
    {"Camera", "Set bookmark 9", "bookmark 9 set", "Ctrl+9"},
    {"Help", "Keys", "keys", "?", [](const Viewer& v) { return v.shown().keys; }},
    {"Help", "Close messages", "dismiss", "Esc"},
};

}  // namespace

std::span<const CommandEntry> view_commands() {
  return kCommands;
}

std::span<const ActionEntry> view_actions() {
  return kActions;
}

}  // namespace tessera::viewer
