// A capture's photos: click to stand where one was taken, and compare it with the scene.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <cstdint>

#include "viewer/panels/panels.h"

namespace tessera::viewer {
namespace {

ImTextureID texture_id(GLuint name) {
  return reinterpret_cast<ImTextureID>(static_cast<intptr_t>(name));
}

void draw_comparison(Viewer& viewer) {
  for (const ComparisonEntry& entry : kComparisons) {
    if (ImGui::RadioButton(std::string(entry.title).c_str(),
                           viewer.comparison() == entry.comparison)) {
      viewer.act(fmt::format("compare {}", entry.name));
    }
  }
  if (viewer.comparison() == Comparison::kSplit) {
    auto at = static_cast<float>(viewer.split());
    if (ImGui::SliderFloat("##split", &at, 0, 1, "")) viewer.set_split(at);
  }
  if (const std::optional<double> psnr = viewer.compared_psnr()) {
    ImGui::Text("PSNR %.2f dB", *psnr);
  }
}

void draw_row(Viewer& viewer, const PhotoPlace& place, const core::CaptureView& view) {
  const float height = 3 * ImGui::GetFontSize();
  ImGui::PushID(place.view);
  const ImVec2 start = ImGui::GetCursorPos();
  if (ImGui::Selectable("##photo", viewer.photo() == place, 0, {0, height})) {
    viewer.act("view " + quoted_word(view.name));
  }
  if (ImGui::IsItemVisible()) {
    ImGui::SetCursorPos(start);
    if (const std::optional<Thumbnail> thumbnail = viewer.thumbnails().find(view)) {
      ImGui::Image(texture_id(thumbnail->texture), {height * thumbnail->aspect, height});
    } else {
      ImGui::Dummy({height, height});
    }
    ImGui::SameLine();
    ImGui::TextUnformatted(view.name.c_str());
  }
  ImGui::PopID();
}

}  // namespace

void draw_capture_panel(Viewer& viewer) {
  draw_comparison(viewer);
  for (const SceneItem& item : viewer.items()) {
    const auto* content = std::get_if<CaptureContent>(&item.content);
    if (content == nullptr) continue;
    ImGui::TextDisabled("%s", item.name.c_str());
    ImGui::PushID(item.id);
    ImGui::BeginChild("##views", {0, 16 * ImGui::GetFontSize()});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(content->capture->views.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        draw_row(viewer, {item.id, i}, content->capture->views[i]);
      }
    }
    ImGui::EndChild();
    ImGui::PopID();
  }
}

void draw_hovered_photo(Viewer& viewer, const ViewRect& view) {
  const std::optional<PhotoAt>& at = viewer.hovered_photo();
  const core::CaptureView* photo = at ? find_photo(viewer.items(), at->place) : nullptr;
  if (photo == nullptr) return;
  ImVec2 corners[4];
  for (int k = 0; k < 4; ++k) {
    corners[k] = {static_cast<float>(at->corners[k].x + view.x),
                  static_cast<float>(at->corners[k].y + view.y)};
  }
  ImDrawList* list = ImGui::GetBackgroundDrawList();
  if (const std::optional<Thumbnail> thumbnail = viewer.thumbnails().find(*photo)) {
    list->AddImageQuad(texture_id(thumbnail->texture), corners[0], corners[1], corners[2],
                       corners[3]);
  }
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_CheckMark);
  list->AddQuad(corners[0], corners[1], corners[2], corners[3], color, 2);
  list->AddText({corners[3].x, corners[3].y + 2}, color, photo->name.c_str());
}

}  // namespace tessera::viewer
