// Where the camera stands and how it projects.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include "viewer/viewer.h"

namespace tessera::viewer {

void draw_camera_panel(Viewer& viewer) {
  CameraController& controller = viewer.camera();
  auto fov = static_cast<float>(controller.target().fov_y);
  if (ImGui::SliderFloat("field of view", &fov, 5, 140, "%.0f deg")) controller.set_fov(fov);
  bool orthographic = controller.target().orthographic;
  if (ImGui::Checkbox("orthographic", &orthographic)) controller.set_orthographic(orthographic);
  const math::Vec3<double> at = controller.camera().center;
  ImGui::Text("at  %.4g  %.4g  %.4g", at.x, at.y, at.z);
  ImGui::TextUnformatted("up axis");
  for (const char* axis : {"+x", "-x", "+y", "-y", "+z", "-z"}) {
    ImGui::SameLine();
    if (ImGui::SmallButton(axis)) viewer.act(fmt::format("up {}", axis));
  }
  ImGui::TextUnformatted("bookmarks");
  for (int i = 0; i < static_cast<int>(viewer.bookmarks().size()); ++i) {
    ImGui::SameLine();
    const std::string label = fmt::format("{}", i + 1);
    if (viewer.bookmarks()[i]) {
      if (ImGui::SmallButton(label.c_str())) viewer.act("bookmark " + label);
    } else {
      ImGui::TextDisabled("%s", label.c_str());
    }
  }
}

}  // namespace tessera::viewer
