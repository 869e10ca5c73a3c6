// Key frames, how long the way takes, and the film of it.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "viewer/viewer.h"

namespace tessera::viewer {

void draw_path_panel(Viewer& viewer) {
  CameraPath& path = viewer.path();
  if (ImGui::Button("Key frame here")) viewer.act("path add");
  ImGui::SameLine();
  if (ImGui::Button("Play")) viewer.act("path play");
  ImGui::SameLine();
  if (ImGui::Button("Turntable")) viewer.act("path turntable");
  std::string line;
  for (size_t i = 0; i < path.keys.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (i % 8 != 0) ImGui::SameLine();
    if (ImGui::SmallButton(fmt::format("{}", i + 1).c_str()))
      line = fmt::format("path go {}", i + 1);
    if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) line = fmt::format("path remove {}", i + 1);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("click: go there; right click: remove");
    ImGui::PopID();
  }
  if (!line.empty()) viewer.act(line);
  ImGui::InputDouble("seconds", &path.seconds, 0, 0, "%.2f");
  ImGui::InputDouble("frames/s", &path.frames_per_second, 0, 0, "%.2f");
  ImGui::InputText("file", &viewer.shown().film_file);
  ImGui::InputInt2("size", viewer.shown().film_size);
  if (const std::optional<double> done = viewer.filmed()) {
    ImGui::ProgressBar(static_cast<float>(*done), {-1, 0});
    if (ImGui::Button("Cancel")) viewer.act("path cancel");
  } else if (ImGui::Button("Write film")) {
    viewer.act(fmt::format("path film {} {} {}", quoted_word(viewer.shown().film_file),
                           viewer.shown().film_size[0], viewer.shown().film_size[1]));
  }
}

}  // namespace tessera::viewer
