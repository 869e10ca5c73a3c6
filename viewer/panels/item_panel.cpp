// The chosen scene: what it is, its name, where it stands.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "core/count_text.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

std::string summary(const SceneItem& item) {
  if (const auto* splats = std::get_if<SplatContent>(&item.content)) {
    return fmt::format("{}, color of degree {}", core::plural(splats->scene->cloud.size(), "splat"),
                       splats->scene->cloud.sh_degree);
  }
  if (const auto* points = std::get_if<PointContent>(&item.content)) {
    return core::plural(static_cast<int64_t>(points->set->points.size()), "point");
  }
  if (const auto* capture = std::get_if<CaptureContent>(&item.content)) {
    return fmt::format(
        "{} capture: {}, {}", capture->capture->kind,
        core::plural(static_cast<int64_t>(capture->capture->views.size()), "photo"),
        core::plural(static_cast<int64_t>(capture->capture->points.size()), "point"));
  }
  const auto& image = std::get<MultiplaneContent>(item.content).image;
  return fmt::format("multiplane image: {}",
                     core::plural(static_cast<int64_t>(image->layers.size()), "layer"));
}

}  // namespace

void draw_item_panel(Viewer& viewer) {
  SceneItem* item = viewer.current_item();
  if (item == nullptr) return;
  ImGui::SetNextItemWidth(-1);
  ImGui::InputText("##name", &item->name);
  ImGui::TextWrapped("%s", summary(*item).c_str());
  for (const std::string& note : item->notes) ImGui::TextWrapped("%s", note.c_str());
  float translation[3] = {static_cast<float>(item->placement.translation.x),
                          static_cast<float>(item->placement.translation.y),
                          static_cast<float>(item->placement.translation.z)};
  if (ImGui::InputFloat3("moved", translation, "%.4g", ImGuiInputTextFlags_EnterReturnsTrue)) {
    viewer.act(fmt::format("move {} {} {}", translation[0], translation[1], translation[2]));
  }
  auto scale = static_cast<float>(item->placement.scale);
  if (ImGui::InputFloat("scaled", &scale, 0, 0, "%.4g", ImGuiInputTextFlags_EnterReturnsTrue)) {
    viewer.act(fmt::format("scale {}", scale));
  }
  if (ImGui::Button("Remove")) viewer.act("remove");
  ImGui::SameLine();
  if (ImGui::Button("Duplicate")) viewer.act("duplicate");
}

}  // namespace tessera::viewer
