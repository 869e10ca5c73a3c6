// The built-in file dialog.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "viewer/panels/panels.h"

namespace tessera::viewer {

void draw_file_dialog(Viewer& viewer) {
  const FileDialog* dialog = viewer.file_dialog();
  if (dialog == nullptr) return;
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  const float unit = ImGui::GetFontSize();
  ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(
      {std::min(40 * unit, 0.9F * size.x), std::min(28 * unit, 0.9F * size.y)});
  ImGui::Begin(
      "##files", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  std::string line;
  ImGui::TextUnformatted(dialog->wish().title.c_str());
  if (ImGui::Button("Up"))
    line = "files go " + quoted_word(dialog->folder().parent_path().string());
  ImGui::SameLine();
  ImGui::TextUnformatted(dialog->folder().c_str());
  Viewer::Stay& shown = viewer.shown();
  bool focused = ImGui::IsWindowAppearing();
  if (shown.typed_name != dialog->typed()) {
    // A field that is written in keeps its own text, so it is another field.
    shown.typed_name = dialog->typed();
    ++shown.typed_names;
    focused = true;
  }
  if (focused) ImGui::SetKeyboardFocusHere();
  ImGui::PushID(shown.typed_names);
  ImGui::SetNextItemWidth(-1);
  if (ImGui::InputTextWithHint("##typed", "a name or a path", &shown.typed_name)) {
    line = "files type " + quoted_word(shown.typed_name);
  }
  ImGui::PopID();
  ImGui::BeginChild("##entries", {0, -1.6F * ImGui::GetFrameHeightWithSpacing()}, true);
  const std::vector<FileDialog::Entry>& entries = dialog->entries();
  for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
    ImGui::PushID(i);
    const std::string name = entries[i].name + (entries[i].is_folder ? "/" : "");
    if (ImGui::Selectable(name.c_str(), i == dialog->marked(),
                          ImGuiSelectableFlags_AllowDoubleClick)) {
      line = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)
                 ? "files accept"
                 : fmt::format("files mark {}", i + 1);
    }
    if (i == dialog->marked() && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
    ImGui::PopID();
  }
  if (entries.empty()) ImGui::TextDisabled("nothing here that can be read");
  ImGui::EndChild();
  if (ImGui::Button(dialog->wish().saves ? "Save" : "Open")) line = "files accept";
  if (!dialog->wish().saves) {
    ImGui::SameLine();
    if (ImGui::Button("Open this folder")) line = "files folder";
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) line = "files cancel";
  ImGui::SameLine();
  bool all = dialog->shows_all();
  if (ImGui::Checkbox("all files", &all)) line = all ? "files all on" : "files all off";
  ImGui::End();
  if (!line.empty()) viewer.act(line);
}

}  // namespace tessera::viewer
