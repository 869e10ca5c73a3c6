// What is chosen, how to choose, and a histogram whose range chooses.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "core/count_text.h"
#include "viewer/edit/selection.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

constexpr int kBins = 64;

void draw_histogram(Viewer& viewer, const SceneItem& item, ShownHistogram& shown) {
  const auto properties = splat_properties();
  if (ImGui::BeginCombo("by", std::string(properties[shown.property].title).c_str())) {
    for (size_t i = 0; i < properties.size(); ++i) {
      if (ImGui::Selectable(std::string(properties[i].title).c_str(), i == shown.property)) {
        shown.property = i;
        shown.states = nullptr;
      }
    }
    ImGui::EndCombo();
  }
  const SplatProperty& property = properties[shown.property];
  const void* states = std::get<SplatContent>(item.content).states.get();
  if (shown.states != states) {
    const bool fresh = shown.states == nullptr;
    shown.histogram = histogram_of(item, property, kBins);
    shown.states = states;
    if (fresh) {
      shown.low = static_cast<float>(shown.histogram.low);
      shown.high = static_cast<float>(shown.histogram.high);
    }
  }
  std::vector<float> heights = shown.histogram.counts;
  // A few tall bins would hide the rest.
  for (float& height : heights) height = std::log1p(height);
  ImGui::PlotHistogram("##histogram", heights.data(), kBins, 0, nullptr, 0, FLT_MAX,
                       {ImGui::GetContentRegionAvail().x, 4 * ImGui::GetFontSize()});
  const auto lowest = static_cast<float>(shown.histogram.low);
  const auto highest = static_cast<float>(shown.histogram.high);
  ImGui::DragFloatRange2("range", &shown.low, &shown.high,
                         std::max(1e-6F, (highest - lowest) / 200), lowest, highest, "%.4g",
                         "%.4g");
  if (ImGui::Button("Choose")) {
    viewer.act(fmt::format("select property {} {} {}", property.name, shown.low, shown.high));
  }
  ImGui::SameLine();
  if (ImGui::Button("Add")) {
    viewer.act(fmt::format("select property {} {} {} add", property.name, shown.low, shown.high));
  }
}

}  // namespace

void draw_selection_panel(Viewer& viewer) {
  const SceneItem* item = viewer.current_item();
  if (item == nullptr || !std::holds_alternative<SplatContent>(item->content)) {
    ImGui::TextDisabled("no splats are chosen from");
    return;
  }
  const StateCounts counts = count_states(*std::get<SplatContent>(item->content).states);
  ImGui::Text("%s chosen", core::count_text(counts.selected).c_str());
  if (counts.hidden > 0) ImGui::Text("%s hidden", core::count_text(counts.hidden).c_str());
  if (counts.deleted > 0) ImGui::Text("%s deleted", core::count_text(counts.deleted).c_str());
  for (size_t i = 1; i < std::size(kTools); ++i) {
    if (static_cast<Tool>(i) == Tool::kMeasure) continue;
    if (i > 1) ImGui::SameLine();
    const bool used = viewer.tool().tool() == static_cast<Tool>(i);
    if (ImGui::RadioButton(std::string(kTools[i].title).c_str(), used)) {
      viewer.act("tool " + std::string(used ? "none" : kTools[i].name));
    }
    if (i == 2) ImGui::NewLine();
  }
  if (ImGui::Button("Delete")) viewer.act("delete");
  ImGui::SameLine();
  if (ImGui::Button("Hide")) viewer.act("hide");
  ImGui::SameLine();
  if (ImGui::Button("Invert")) viewer.act("select invert");
  ImGui::Separator();
  draw_histogram(viewer, *item, viewer.shown().histogram);
}

// The stroke of the tool, over the scene.
void draw_stroke(const Viewer& viewer, const ViewRect& view) {
  const SelectTool& tool = viewer.tool();
  if (tool.stroke().empty()) return;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImU32 color = IM_COL32(255, 160, 40, 255);
  std::vector<ImVec2> points;
  for (const math::Vec2<double>& p : tool.stroke()) {
    points.emplace_back(static_cast<float>(view.x + p.x), static_cast<float>(view.y + p.y));
  }
  if (tool.tool() == Tool::kRectangle) {
    list->AddRect(points.front(), points.back(), color, 0, 0, 1.5F);
  } else if (tool.tool() == Tool::kBrush) {
    for (const ImVec2& p : points) {
      list->AddCircle(p, static_cast<float>(tool.brush_radius()), color);
    }
  } else {
    list->AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, 1.5F);
  }
}

}  // namespace tessera::viewer
