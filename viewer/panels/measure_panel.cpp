// Measured points and the lengths between them.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

double distance(math::Vec3<double> a, math::Vec3<double> b) {
  const math::Vec3<double> d = b - a;
  return std::sqrt(dot(d, d));
}

}  // namespace

void draw_measure_panel(Viewer& viewer) {
  const std::vector<math::Vec3<double>>& points = viewer.measured();
  double sum = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    std::string text =
        fmt::format("{}   {:.4g}  {:.4g}  {:.4g}", i + 1, points[i].x, points[i].y, points[i].z);
    if (i > 0) {
      const double length = distance(points[i - 1], points[i]);
      sum += length;
      text += fmt::format("   {:.6g}", length);
    }
    ImGui::TextUnformatted(text.c_str());
  }
  if (points.size() > 2) ImGui::Text("%.6g in all", sum);
  if (points.size() >= 2) {
    ImGui::SetNextItemWidth(6 * ImGui::GetFontSize());
    ImGui::InputDouble("is the last in truth", &viewer.shown().known_length, 0, 0, "%.6g");
    ImGui::SameLine();
    if (ImGui::Button("Scale")) {
      viewer.act(fmt::format("measure length {}", viewer.shown().known_length));
    }
  }
  if (ImGui::Button("Clear")) viewer.act("measure clear");
  if (points.size() >= 3) {
    ImGui::SameLine();
    if (ImGui::Button("Ground")) viewer.act("measure ground");
  }
}

// Points and lines over the scene.
void draw_measured(const Viewer& viewer, const ViewRect& view) {
  const std::vector<math::Vec3<double>>& points = viewer.measured();
  if (points.empty()) return;
  const Projection projection = projection_of(viewer.camera().camera(), view.width, view.height, 1);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImU32 color = IM_COL32(90, 220, 255, 255);
  const auto place = [&](math::Vec3<double> p) {
    const math::Vec3<double> at = projection.pixel_of(p);
    return ImVec2(static_cast<float>(view.x + at.x), static_cast<float>(view.y + at.y));
  };
  const auto before_camera = [&](math::Vec3<double> p) {
    return projection.pixel_of(p).z > projection.nearest;
  };
  for (size_t i = 0; i < points.size(); ++i) {
    if (!before_camera(points[i])) continue;
    const ImVec2 at = place(points[i]);
    list->AddCircleFilled(at, 4, color);
    if (i == 0 || !before_camera(points[i - 1])) continue;
    const ImVec2 before = place(points[i - 1]);
    list->AddLine(before, at, color, 1.5F);
    const std::string text = fmt::format("{:.4g}", distance(points[i - 1], points[i]));
    list->AddText({(before.x + at.x) / 2 + 6, (before.y + at.y) / 2 - ImGui::GetFontSize()}, color,
                  text.c_str());
  }
}

}  // namespace tessera::viewer
