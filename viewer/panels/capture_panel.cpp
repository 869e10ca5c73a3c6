// A capture's photos: click to stand where one was taken.
// SPDX-License-Identifier: MIT
#include <imgui.h>

#include "viewer/viewer.h"

namespace tessera::viewer {

void draw_capture_panel(Viewer& viewer) {
  for (const SceneItem& item : viewer.items()) {
    const auto* content = std::get_if<CaptureContent>(&item.content);
    if (content == nullptr) continue;
    ImGui::TextDisabled("%s", item.name.c_str());
    ImGui::BeginChild("##views", {0, 12 * ImGui::GetFontSize()});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(content->capture->views.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const std::string& name = content->capture->views[i].name;
        if (ImGui::Selectable(name.c_str())) viewer.act("view " + quoted_word(name));
      }
    }
    ImGui::EndChild();
  }
}

}  // namespace tessera::viewer
