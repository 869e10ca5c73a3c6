// Commands that choose splats, change scenes, take that back and save.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "core/count_text.h"
#include "core/error.h"
#include "viewer/draw/splat_state.h"
#include "viewer/edit/saved_scene.h"
#include "viewer/edit/selection.h"
#include "viewer/ui/command_words.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

Projection view_projection(const Viewer& viewer) {
  return projection_of(viewer.camera().camera(), viewer.view_rect().width,
                       viewer.view_rect().height, 1);
}

// Pairs of numbers from `first` on.
std::vector<math::Vec2<double>> places(const Words& words, size_t first) {
  if ((words.size() - first) % 2 != 0) {
    throw core::UsageError("select " + words[1], "takes pairs of numbers");
  }
  std::vector<math::Vec2<double>> all;
  for (size_t i = first; i < words.size(); i += 2) {
    all.push_back({number(words, i), number(words, i + 1)});
  }
  return all;
}

void expect_count(const Words& words, size_t numbers, const char* takes) {
  if (words.size() != 2 + numbers) {
    throw core::UsageError("select " + words[1], fmt::format("takes {}", takes));
  }
}

// What `words` describe: "rectangle X0 Y0 X1 Y1", ...; without their operation.
std::function<bool(int64_t)> met_by(const Viewer& viewer, const SceneItem& item,
                                    const Words& words) {
  const std::string& kind = words[1];
  if (kind == "rectangle") {
    expect_count(words, 4, "X0 Y0 X1 Y1, in pixels of the view");
    const double x0 = number(words, 2), y0 = number(words, 3);
    const double x1 = number(words, 4), y1 = number(words, 5);
    return within_polygon(item, view_projection(viewer), {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}});
  }
  if (kind == "polygon") {
    std::vector<math::Vec2<double>> corners = places(words, 2);
    if (corners.size() < 3) throw core::UsageError("select polygon", "takes three corners or more");
    return within_polygon(item, view_projection(viewer), std::move(corners));
  }
  if (kind == "brush") {
    const double radius = number(words, 2);
    return within_circles(item, view_projection(viewer), places(words, 3), radius);
  }
  if (kind == "sphere") {
    expect_count(words, 4, "X Y Z RADIUS");
    return within_sphere(item, vector(words, 2), number(words, 5));
  }
  if (kind == "box") {
    expect_count(words, 6, "X0 Y0 Z0 X1 Y1 Z1");
    return within_box(item, vector(words, 2), vector(words, 5));
  }
  if (kind == "color") {
    expect_count(words, 4, "R G B TOLERANCE, of 0 to 1");
    return of_color(item, vector(words, 2), number(words, 5));
  }
  if (kind == "property") {
    const SplatProperty& property = splat_property(word(words, 2, "a property"));
    expect_count(words, 3, "NAME LOW HIGH");
    return of_property(item, property, number(words, 3), number(words, 4));
  }
  throw core::UsageError("select",
                         "is by all, none, invert, rectangle, polygon, brush, sphere, "
                         "box, color or property, not " +
                             kind);
}

// One step of the history that gives the chosen scene other states.
void set_states(Viewer& viewer, SceneItem& item, ChangeKind kind, const std::string& name,
                States states) {
  viewer.change(kind, name,
                [&] { std::get<SplatContent>(item.content).states = std::move(states); });
}

void select(Viewer& viewer, const Words& words) {
  const std::string& kind = word(words, 1, "what to choose by");
  SceneItem& item = current_splats(viewer);
  const auto& content = std::get<SplatContent>(item.content);
  States states;
  if (kind == "all") {
    states = select_all(content);
  } else if (kind == "none") {
    states = select_none(content);
  } else if (kind == "invert") {
    states = invert_selection(content);
  } else {
    Words shape = words;
    SelectOperation operation = SelectOperation::kSet;
    const std::string& last = words.back();
    if (last == "set" || last == "add" || last == "remove" || last == "intersect") {
      operation = select_operation(last);
      shape.pop_back();
    }
    states = select(content, operation, met_by(viewer, item, shape));
  }
  if (*states == *content.states) return;  // nothing to undo
  const int64_t selected = count_states(*states).selected;
  set_states(viewer, item, ChangeKind::kArrangement, "choose " + core::plural(selected, "splat"),
             std::move(states));
}

void expect_selected(const SceneItem& item) {
  if (count_states(*std::get<SplatContent>(item.content).states).selected == 0) {
    throw core::Error("no splat is chosen; draw around some, or press Ctrl+A");
  }
}

void erase(Viewer& viewer, const Words& /*words*/) {
  SceneItem& item = current_splats(viewer);
  expect_selected(item);
  const auto& content = std::get<SplatContent>(item.content);
  const int64_t count = count_states(*content.states).selected;
  set_states(viewer, item, ChangeKind::kEdit, "delete " + core::plural(count, "splat"),
             delete_selected(content));
}

void hide(Viewer& viewer, const Words& /*words*/) {
  SceneItem& item = current_splats(viewer);
  expect_selected(item);
  set_states(viewer, item, ChangeKind::kArrangement, "hide",
             hide_selected(std::get<SplatContent>(item.content)));
}

void unhide(Viewer& viewer, const Words& /*words*/) {
  SceneItem& item = current_splats(viewer);
  set_states(viewer, item, ChangeKind::kArrangement, "show hidden",
             show_hidden(std::get<SplatContent>(item.content)));
}

void crop(Viewer& viewer, const Words& words) {
  SceneItem& item = current_splats(viewer);
  const auto inside = within_box(item, vector(words, 1), vector(words, 4));
  auto states =
      std::make_shared<core::Array<uint8_t>>(*std::get<SplatContent>(item.content).states);
  int64_t gone = 0;
  for (int64_t i = 0; i < states->size(); ++i) {
    if (((*states)[i] & kDeleted) != 0 || inside(i)) continue;
    (*states)[i] = kDeleted;
    ++gone;
  }
  if (gone == 0) throw core::Error("all splats are in this box");
  set_states(viewer, item, ChangeKind::kEdit, "crop " + core::plural(gone, "splat"),
             std::move(states));
}

void save(Viewer& viewer, const Words& words) {
  if (words.size() < 2) {
    current_splats(viewer);
    viewer.ask_for_file({"save", "Save", true, viewer.last_folder()});
    return;
  }
  const std::filesystem::path path = words[1];
  const bool part = words.size() > 2 && words[2] == "selection";
  if (words.size() > 2 && !part) throw core::UsageError("save", "takes a file and selection");
  const SceneItem& item = current_splats(viewer);
  if (part) expect_selected(item);
  const core::GaussianScene scene = saved_scene(item, viewer.items().front().origin_in_file,
                                                part ? SavedSplats::kChosen : SavedSplats::kAll);
  viewer.host().save(path, scene);
  if (!part) viewer.mark_saved();
  std::string text =
      fmt::format("Saved {} to {}", core::plural(scene.cloud.size(), "splat"), path.string());
  const std::vector<std::string> lost = viewer.host().losses(path, scene);
  if (!lost.empty()) text += fmt::format(", without {}", fmt::join(lost, ", "));
  viewer.say(std::move(text));
}

void tool(Viewer& viewer, const Words& words) {
  const std::string& name = word(words, 1, "a tool");
  std::vector<std::string_view> names;
  for (size_t i = 0; i < std::size(kTools); ++i) {
    if (kTools[i].name == name) {
      viewer.tool().set_tool(static_cast<Tool>(i));
      return;
    }
    names.push_back(kTools[i].name);
  }
  throw core::UsageError("tool", fmt::format("is one of {}, not {}", fmt::join(names, ", "), name));
}

constexpr CommandEntry kCommands[] = {
    {"undo", "", "take the last change back", [](Viewer& v, const Words&) { v.undo(); }},
    {"redo", "", "make it again", [](Viewer& v, const Words&) { v.redo(); }},
    {"select", "all|none|invert|SHAPE NUMBERS... [set|add|remove|intersect]",
     "choose splats of the chosen scene", select},
    {"tool", "TOOL", "what the left button draws", tool},
    {"brush", "PIXELS", "the brush's radius",
     [](Viewer& v, const Words& w) { v.tool().set_brush_radius(number(w, 1)); }},
    {"delete", "", "delete the chosen splats", erase},
    {"hide", "", "hide the chosen splats", hide},
    {"unhide", "", "show what is hidden", unhide},
    {"crop", "X0 Y0 Z0 X1 Y1 Z1", "delete what is outside of a box", crop},
    {"save", "[FILE [selection]]",
     "save the chosen scene, as the extension says; without one, ask for it", save},
};

bool uses(const Viewer& viewer, Tool tool) {
  return viewer.tool().tool() == tool;
}

constexpr ActionEntry kActions[] = {
    {"Edit", "Undo", "undo", "Ctrl+Z"},
    {"Edit", "Redo", "redo", "Ctrl+Shift+Z"},
    {"Edit", "Delete", "delete", "Del"},
    {"Edit", "Hide", "hide", "X"},
    {"Edit", "Show hidden", "unhide", "U"},
    {"Select", "All", "select all", "Ctrl+A"},
    {"Select", "None", "select none", "Ctrl+Shift+A"},
    {"Select", "Invert", "select invert", "Ctrl+I"},
    {"Select", "Move the camera", "tool none", "V",
     [](const Viewer& v) { return uses(v, Tool::kNone); }},
    {"Select", "Rectangle", "tool rectangle", "R",
     [](const Viewer& v) { return uses(v, Tool::kRectangle); }},
    {"Select", "Lasso", "tool lasso", "T", [](const Viewer& v) { return uses(v, Tool::kLasso); }},
    {"Select", "Polygon", "tool polygon", "P",
     [](const Viewer& v) { return uses(v, Tool::kPolygon); }},
    {"Select", "Brush", "tool brush", "B", [](const Viewer& v) { return uses(v, Tool::kBrush); }},
};

}  // namespace

std::span<const CommandEntry> edit_commands() {
  return kCommands;
}

std::span<const ActionEntry> edit_actions() {
  return kActions;
}

}  // namespace tessera::viewer
