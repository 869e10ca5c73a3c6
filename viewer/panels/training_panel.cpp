// A training that is watched: how far it is, its curves, its ranks, its reins.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <vector>

#include "core/count_text.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

void draw_curve(const char* label, const std::vector<TrainingFigures::Point>& points,
                const std::string& last) {
  if (points.size() < 2) return;
  std::vector<float> values;
  values.reserve(points.size());
  for (const TrainingFigures::Point& point : points) {
    values.push_back(static_cast<float>(point.value));
  }
  ImGui::TextUnformatted(last.c_str());
  ImGui::PlotLines(label, values.data(), static_cast<int>(values.size()), 0, nullptr, FLT_MAX,
                   FLT_MAX, {ImGui::GetContentRegionAvail().x, 4 * ImGui::GetFontSize()});
}

void draw_ranks(Viewer& viewer, const std::vector<TrainingFigures::Rank>& ranks) {
  if (ranks.empty()) return;
  if (ImGui::BeginTable("##ranks", 5, ImGuiTableFlags_RowBg)) {
    for (const char* title : {"rank", "works", "waits", "sent", "owns"}) {
      ImGui::TableSetupColumn(title);
    }
    ImGui::TableHeadersRow();
    for (size_t i = 0; i < ranks.size(); ++i) {
      const TrainingFigures::Rank& rank = ranks[i];
      const std::string cells[] = {
          fmt::format("{}", i), fmt::format("{:.1f} s", rank.worked_s),
          fmt::format("{:.1f} s", rank.waited_s),
          fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(rank.bytes_sent)),
          core::count_text(rank.gaussians)};
      ImGui::TableNextRow();
      for (const std::string& cell : cells) {
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(cell.c_str());
      }
    }
    ImGui::EndTable();
  }
  bool owners = viewer.training()->shows_owners();
  if (ImGui::Checkbox("colors of ranks", &owners)) viewer.act("owners");
}

}  // namespace

void draw_training_panel(Viewer& viewer) {
  const TrainingFigures figures = viewer.training()->training().figures();
  if (figures.phase.empty()) {
    ImGui::TextWrapped("%s", figures.trouble.empty() ? "waiting for the training to answer"
                                                     : figures.trouble.c_str());
    return;
  }
  const std::string progress =
      fmt::format("{} / {}", core::count_text(figures.step), core::count_text(figures.steps));
  ImGui::ProgressBar(
      figures.steps > 0 ? static_cast<float>(figures.step) / static_cast<float>(figures.steps) : 0,
      {-1, 0}, progress.c_str());
  ImGui::TextWrapped("%s%s", figures.phase.c_str(),
                     figures.attached || figures.over ? "" : ", not answering");
  ImGui::Text("%s, %.1f steps/s, %.0f MB", core::plural(figures.gaussians, "Gaussian").c_str(),
              figures.steps_per_second, 1e-6 * static_cast<double>(figures.memory_bytes));
  if (!figures.over) {
    if (ImGui::Button(figures.paused ? "Resume" : "Pause")) {
      viewer.act(figures.paused ? "train resume" : "train pause");
    }
    ImGui::SameLine();
    if (ImGui::Button("Save")) viewer.act("train save");
    ImGui::SameLine();
    if (ImGui::Button("Stop")) viewer.act("train stop");
  }
  draw_curve("##loss", figures.losses, fmt::format("loss {:.4f}", figures.loss));
  if (!figures.psnrs.empty()) {
    draw_curve("##psnr", figures.psnrs, fmt::format("PSNR {:.2f} dB", figures.psnrs.back().value));
  }
  draw_ranks(viewer, figures.ranks);
}

}  // namespace tessera::viewer
