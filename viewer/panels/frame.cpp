// What surrounds the panels: menu, scene list, status line, notices, keys, start screen.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <string>

#include "core/count_text.h"
#include "viewer/panels/panels.h"

namespace tessera::viewer {
namespace {

int64_t splats_of(const SceneItem& item) {
  const auto* content = std::get_if<SplatContent>(&item.content);
  return content == nullptr ? 0 : content->scene->cloud.size();
}

void begin_overlay(const char* name, ImVec2 middle) {
  ImGui::SetNextWindowPos(middle, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::Begin(name, nullptr,
               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoTitleBar);
}

}  // namespace

void draw_menu(Viewer& viewer) {
  if (!ImGui::BeginMainMenuBar()) return;
  std::string_view menu;
  bool open = false;
  std::string line;
  for (const ActionEntry& action : actions()) {
    if (action.menu != menu) {
      if (open) ImGui::EndMenu();
      menu = action.menu;
      open = ImGui::BeginMenu(std::string(menu).c_str());
    }
    if (!open) continue;
    const bool checked = action.checked != nullptr && action.checked(viewer);
    if (ImGui::MenuItem(std::string(action.title).c_str(), std::string(action.key).c_str(),
                        checked)) {
      line = action.line;
    }
  }
  if (open) ImGui::EndMenu();
  ImGui::EndMainMenuBar();
  if (!line.empty()) viewer.act(line);
}

void draw_scene_list(Viewer& viewer) {
  ImGui::TextDisabled("Scenes");
  SceneItem* current = viewer.current_item();
  for (SceneItem& item : viewer.items()) {
    ImGui::PushID(item.id);
    ImGui::Checkbox("##visible", &item.visible);
    ImGui::SameLine();
    if (ImGui::Selectable(item.name.c_str(), current == &item)) viewer.set_current(item.id);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", item.path.c_str());
    ImGui::PopID();
  }
  for (const std::filesystem::path& path : viewer.opening()) {
    ImGui::TextDisabled("opening %s ...", path.filename().c_str());
  }
}

void draw_status(Viewer& viewer, int width) {
  const ImGuiIO& io = ImGui::GetIO();
  const float height = ImGui::GetFrameHeight();
  ImGui::SetNextWindowPos({0, io.DisplaySize.y - height});
  ImGui::SetNextWindowSize({static_cast<float>(width), height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8, 3});
  ImGui::Begin("##status", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
  int64_t splats = 0;
  for (const SceneItem& item : viewer.items()) splats += item.visible ? splats_of(item) : 0;
  std::string text;
  if (splats > 0) {
    text = fmt::format("{} splats, {} in view, {:.1f} MB on the card   {}x{}   {:.0f} frames/s",
                       core::count_text(splats), core::count_text(viewer.ordered_splats()),
                       1e-6 * static_cast<double>(viewer.splat_bytes()), viewer.view_rect().width,
                       viewer.view_rect().height, viewer.frames_per_second());
    if (viewer.sharpness() < 1) text += fmt::format("   {:.0f} % sharp", 100 * viewer.sharpness());
  } else {
    text = fmt::format("{}x{}", viewer.view_rect().width, viewer.view_rect().height);
  }
  if (const std::optional<double> psnr = viewer.compared_psnr()) {
    text +=
        fmt::format("   {}: {:.2f} dB", find_photo(viewer.items(), *viewer.photo())->name, *psnr);
  }
  ImGui::TextUnformatted(text.c_str());
  const char* hint = "? lists keys";
  ImGui::SameLine(static_cast<float>(width) - ImGui::CalcTextSize(hint).x - 10);
  ImGui::TextDisabled("%s", hint);
  ImGui::End();
  ImGui::PopStyleVar();
}

void draw_notices(Viewer& viewer, const ViewRect& view) {
  if (viewer.notices().empty()) return;
  const float width = std::min(0.9F * static_cast<float>(view.width), 40 * ImGui::GetFontSize());
  ImGui::SetNextWindowPos({static_cast<float>(view.x) + static_cast<float>(view.width) / 2,
                           static_cast<float>(view.y + view.height) - ImGui::GetFontSize()},
                          ImGuiCond_Always, {0.5F, 1});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::Begin("##notices", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  int number = 0, closed = -1;
  for (const Notice& notice : viewer.notices()) {
    ImGui::PushID(number);
    if (notice.is_error) {
      if (ImGui::SmallButton("x")) closed = number;
      ImGui::SameLine();
      ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(1, 0.45F, 0.35F, 1));
    }
    ImGui::TextWrapped("%s", notice.text.c_str());
    if (notice.is_error) ImGui::PopStyleColor();
    ImGui::PopID();
    ++number;
  }
  ImGui::End();
  if (closed >= 0) viewer.notices().erase(viewer.notices().begin() + closed);
}

void draw_keys(Viewer& viewer) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  begin_overlay("##keys", {size.x / 2, size.y / 2});
  constexpr std::pair<const char*, const char*> kHands[] = {
      {"Left drag", "turn around the pivot"},
      {"Right or middle drag, Shift+left drag", "move sideways"},
      {"Ctrl+left drag", "look around"},
      {"Wheel", "nearer to the cursor, farther"},
      {"Double click", "turn around that place"},
      {"W A S D Q E", "fly; the wheel changes the speed"},
  };
  if (ImGui::BeginTable("##table", 2)) {
    const auto row = [](const char* left, const char* right) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(left);
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(right);
    };
    for (const auto& [hand, what] : kHands) row(hand, what);
    for (const ActionEntry& action : actions()) {
      if (!action.key.empty()) {
        row(std::string(action.key).c_str(), std::string(action.title).c_str());
      }
    }
    ImGui::EndTable();
  }
  if (ImGui::Button("Close")) viewer.shown().keys = false;
  ImGui::End();
}

void draw_unsaved(Viewer& viewer) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  begin_overlay("##unsaved", {size.x / 2, size.y / 2});
  ImGui::Text("Not saved: %s", viewer.history().undo_name().c_str());
  if (ImGui::Button("Close without saving")) viewer.act("quit anyway");
  ImGui::SameLine();
  if (ImGui::Button("Go on")) viewer.shown().unsaved = false;
  ImGui::End();
}

void draw_recovery(Viewer& viewer) {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  begin_overlay("##recovery", {size.x / 2, size.y / 2});
  ImGui::TextUnformatted("An earlier run ended with edits that were not saved.");
  if (ImGui::Button("Open them")) viewer.act("recover");
  ImGui::SameLine();
  if (ImGui::Button("Throw them away")) viewer.act("recover discard");
  ImGui::End();
}

void draw_start_screen(Viewer& viewer, const ViewRect& view) {
  begin_overlay("##start", {static_cast<float>(view.x) + static_cast<float>(view.width) / 2,
                            static_cast<float>(view.y) + static_cast<float>(view.height) / 2});
  ImGui::TextUnformatted("Drop scenes, photos with cameras, or pictures with depth here.");
  ImGui::Spacing();
  std::string line;
  if (ImGui::Button("Open ...")) line = "open";
  ImGui::SameLine();
  if (ImGui::Button("The sample scene")) line = "sample";
  if (!viewer.recent().empty()) ImGui::TextDisabled("Opened before");
  for (const std::filesystem::path& path : viewer.recent()) {
    if (ImGui::Selectable(path.c_str())) line = "open " + quoted_word(path.string());
  }
  if (!line.empty()) viewer.act(line);
  ImGui::End();
}

}  // namespace tessera::viewer
