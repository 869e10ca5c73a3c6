// SPDX-License-Identifier: MIT
#include "viewer/panels/panels.h"

#include <imgui.h>

#include <algorithm>

namespace tessera::viewer {

void draw_item_panel(Viewer& viewer);
void draw_display_panel(Viewer& viewer);
void draw_camera_panel(Viewer& viewer);
void draw_capture_panel(Viewer& viewer);
void draw_selection_panel(Viewer& viewer);
void draw_training_panel(Viewer& viewer);
void draw_measure_panel(Viewer& viewer);
void draw_path_panel(Viewer& viewer);

namespace {

bool has_measured(const Viewer& viewer) {
  return !viewer.measured().empty();
}

bool has_training(const Viewer& viewer) {
  return viewer.training() != nullptr;
}

bool has_item(const Viewer& viewer) {
  return !viewer.items().empty();
}

bool has_splats(const Viewer& viewer) {
  return std::any_of(viewer.items().begin(), viewer.items().end(), [](const SceneItem& item) {
    return std::holds_alternative<SplatContent>(item.content);
  });
}

bool has_capture(const Viewer& viewer) {
  return std::any_of(viewer.items().begin(), viewer.items().end(), [](const SceneItem& item) {
    return std::holds_alternative<CaptureContent>(item.content);
  });
}

constexpr PanelEntry kPanels[] = {
    {"Training", true, has_training, draw_training_panel},
    {"Selected scene", true, has_item, draw_item_panel},
    {"Photos", true, has_capture, draw_capture_panel},
    {"Choose and edit", false, has_splats, draw_selection_panel},
    {"Measured", true, has_measured, draw_measure_panel},
    {"Display", true, nullptr, draw_display_panel},
    {"Camera", true, nullptr, draw_camera_panel},
    {"Path", false, nullptr, draw_path_panel},
};

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

void begin_column(const char* name, float x, float y, float width, float height) {
  ImGui::SetNextWindowPos({x, y});
  ImGui::SetNextWindowSize({width, height});
  ImGui::Begin(name, nullptr, kFixed | ImGuiWindowFlags_NoTitleBar);
}

}  // namespace

std::span<const PanelEntry> panels() {
  return kPanels;
}

ViewRect draw_panels(Viewer& viewer, int width, int height) {
  const float unit = ImGui::GetFontSize();
  if (!viewer.shown().panels) {
    const ViewRect view = {0, 0, width, height};
    draw_stroke(viewer, view);
    draw_hovered_photo(viewer, view);
    draw_notices(viewer, view);
    if (viewer.shown().keys) draw_keys(viewer);
    if (viewer.shown().unsaved) draw_unsaved(viewer);
    if (viewer.shown().recovery) draw_recovery(viewer);
    draw_file_dialog(viewer);
    return view;
  }
  draw_menu(viewer);
  const float top = ImGui::GetFrameHeight();
  const float bottom = static_cast<float>(height) - ImGui::GetFrameHeight();
  const float left_width = std::min(13 * unit, 0.25F * static_cast<float>(width));
  const float right_width = std::min(18 * unit, 0.35F * static_cast<float>(width));
  begin_column("##scenes", 0, top, left_width, bottom - top);
  draw_scene_list(viewer);
  ImGui::End();
  begin_column("##panels", static_cast<float>(width) - right_width, top, right_width, bottom - top);
  for (const PanelEntry& panel : panels()) {
    if (panel.wanted != nullptr && !panel.wanted(viewer)) continue;
    const std::string title(panel.title);
    if (ImGui::CollapsingHeader(title.c_str(),
                                panel.open_at_first ? ImGuiTreeNodeFlags_DefaultOpen : 0)) {
      ImGui::PushID(title.c_str());
      panel.draw(viewer);
      ImGui::PopID();
      ImGui::Spacing();
    }
  }
  ImGui::End();
  draw_status(viewer, width);
  const ViewRect view = {
      static_cast<int>(left_width), static_cast<int>(top),
      std::max(1, width - static_cast<int>(left_width) - static_cast<int>(right_width)),
      std::max(1, static_cast<int>(bottom) - static_cast<int>(top))};
  if (viewer.items().empty() && viewer.file_dialog() == nullptr) draw_start_screen(viewer, view);
  draw_measured(viewer, view);
  draw_stroke(viewer, view);
  draw_hovered_photo(viewer, view);
  draw_notices(viewer, view);
  if (viewer.shown().keys) draw_keys(viewer);
  if (viewer.shown().unsaved) draw_unsaved(viewer);
  if (viewer.shown().recovery) draw_recovery(viewer);
  draw_file_dialog(viewer);
  return view;
}

}  // namespace tessera::viewer
