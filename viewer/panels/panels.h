// The window's panels. A new one is a file here and its row in panels.cpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "viewer/viewer.h"

namespace tessera::viewer {

// A part of the column on the right.
struct PanelEntry {
  std::string_view title;
  bool open_at_first;
  // Whether it has anything to show now; null: always.
  bool (*wanted)(const Viewer& viewer);
  void (*draw)(Viewer& viewer);
};
std::span<const PanelEntry> panels();

void draw_menu(Viewer& viewer);
void draw_scene_list(Viewer& viewer);
void draw_status(Viewer& viewer, int width);
void draw_notices(Viewer& viewer, const ViewRect& view);
void draw_stroke(const Viewer& viewer, const ViewRect& view);
void draw_measured(const Viewer& viewer, const ViewRect& view);
void draw_hovered_photo(Viewer& viewer, const ViewRect& view);
void draw_keys(Viewer& viewer);
void draw_unsaved(Viewer& viewer);
void draw_recovery(Viewer& viewer);
void draw_file_dialog(Viewer& viewer);
void draw_start_screen(Viewer& viewer, const ViewRect& view);

// All of the window but the scene; where that goes.
ViewRect draw_panels(Viewer& viewer, int width, int height);

}  // namespace tessera::viewer
