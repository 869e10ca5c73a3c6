// How scenes are drawn.
// SPDX-License-Identifier: MIT
#include <imgui.h>

#include <string>

#include "viewer/viewer.h"

namespace tessera::viewer {

void draw_display_panel(Viewer& viewer) {
  SceneStyle& style = viewer.style();
  const auto current = static_cast<int>(style.splats.mode);
  if (ImGui::BeginCombo("mode", std::string(kDrawModes[current].title).c_str())) {
    for (const DrawModeEntry& mode : kDrawModes) {
      if (ImGui::Selectable(std::string(mode.title).c_str(), &mode == &kDrawModes[current])) {
        viewer.act("mode " + std::string(mode.name));
      }
    }
    ImGui::EndCombo();
  }
  ImGui::SliderInt("color degree", &style.splats.sh_degree, 0, core::kMaxShDegree);
  ImGui::Checkbox("antialiased", &style.splats.antialiased);
  float background[3] = {style.splats.background.x, style.splats.background.y,
                         style.splats.background.z};
  if (ImGui::ColorEdit3("background", background, ImGuiColorEditFlags_NoInputs)) {
    style.splats.background = {background[0], background[1], background[2]};
  }
  if (style.splats.mode == DrawMode::kDepth) {
    ImGui::DragFloat2("depths", &style.splats.depth_shown.x, 0.05F, 0, 1e6F, "%.3g");
  }
  if (style.splats.mode == DrawMode::kCenters) {
    ImGui::SliderFloat("size", &style.splats.center_radius, 0.5F, 8);
  }
  ImGui::SliderFloat("point size", &style.point_size, 1, 10);
  ImGui::Checkbox("cameras", &style.cameras);
  ImGui::Checkbox("outlines of layers", &style.outlines);
}

}  // namespace tessera::viewer
