// SPDX-License-Identifier: MIT
#include "apps/commands/reconstruct_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/commands/machine.h"
#include "apps/commands/progress.h"
#include "apps/commands/report.h"
#include "apps/program.h"
#include "assets/photos/image_io.h"
#include "core/color_map.h"
#include "core/evenly_spread.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

constexpr int kMostTestViews = 8;
constexpr int kMostTrainViews = 3;

std::string figures_text(const ViewFigures& view) {
  if (view.counted_pixels == 0) return "masked out as a whole";
  std::string text = fmt::format("PSNR {:.2f} dB, SSIM {:.4f}", view.psnr, view.ssim);
  if (view.ms_ssim) text += fmt::format(", MS-SSIM {:.4f}", *view.ms_ssim);
  return text;
}

// The worst, the best, and others evenly between them by PSNR, shown in order of name.
std::vector<int> views_to_show(const RunFigures& figures, const std::vector<int>& train,
                               const std::vector<int>& test) {
  if (!figures.eval) return core::evenly_spread(train, kMostTrainViews);
  std::vector<size_t> order(test.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::vector<ViewFigures>& views = figures.eval->views;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return views[a].psnr < views[b].psnr; });
  const int all = static_cast<int>(order.size());
  const int count = std::min(kMostTestViews, all);
  std::vector<int> shown;
  shown.reserve(count);
  for (int i = 0; i < count; ++i) {
    shown.push_back(test[order[count > 1 ? i * (all - 1) / (count - 1) : 0]]);
  }
  std::sort(shown.begin(), shown.end());
  return shown;
}

// The folder's name, with its parent's where it says only of what kind the folder is.
std::string name_of_capture(const std::filesystem::path& capture) {
  std::filesystem::path folder = std::filesystem::absolute(capture).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  std::string name = folder.filename().string();
  for (const char* kind : {"undistorted", "dense", "colmap", "capture", "data", "nerfstudio"}) {
    if (name == kind) return folder.parent_path().filename().string() + " / " + name;
  }
  return name;
}

ReportTable headline(const RunFigures& figures) {
  ReportTable rows;
  if (figures.eval) {
    rows.emplace_back("PSNR, held out", fmt::format("{:.2f} dB", figures.eval->psnr));
    rows.emplace_back("SSIM, held out", fmt::format("{:.4f}", figures.eval->ssim));
  }
  rows.emplace_back("Gaussians", count_text(figures.gaussians));
  rows.emplace_back("steps", count_text(figures.steps));
  rows.emplace_back("training", duration_text(figures.training_seconds));
  rows.emplace_back("peak memory", bytes_text(static_cast<double>(figures.peak_memory_bytes)));
  return rows;
}

std::vector<LineChart> charts(const ReportInput& input) {
  LineChart loss;
  loss.title = "Loss";
  loss.logarithmic = true;
  LineChart gaussians;
  gaussians.title = "Gaussians";
  for (const History::Sample& sample : input.history->samples) {
    const auto step = static_cast<double>(sample.step);
    if (sample.loss > 0) loss.points.emplace_back(step, sample.loss);
    gaussians.points.emplace_back(step, static_cast<double>(sample.gaussians));
  }
  LineChart psnr;
  psnr.title = "PSNR of " + plural(input.curve_photos, "held-out photo");
  psnr.unit = "dB";
  psnr.dots = true;
  for (const History::Test& test : input.history->tests) {
    psnr.points.emplace_back(static_cast<double>(test.step), test.psnr);
  }
  return {loss, gaussians, psnr};
}

NumberTable view_table(const EvalFigures& eval) {
  NumberTable table;
  table.heading = "Each photo";
  table.columns = {"Photo", "PSNR, dB", "SSIM", "MS-SSIM", "size"};
  const auto row = [&](const std::string& name, double psnr, double ssim,
                       const std::optional<double>& ms_ssim, const std::string& size) {
    table.rows.push_back({name, fmt::format("{:.2f}", psnr), fmt::format("{:.4f}", ssim),
                          ms_ssim ? fmt::format("{:.4f}", *ms_ssim) : "too small", size});
  };
  for (const ViewFigures& view : eval.views) {
    row(view.name, view.psnr, view.ssim, view.ms_ssim,
        fmt::format("{}x{}", view.width, view.height));
  }
  row("mean", eval.psnr, eval.ssim, eval.ms_ssim, "");
  return table;
}

NumberTable rank_table(const RankFigures& figures, const std::string& ranks_text) {
  NumberTable table;
  table.heading = "Between ranks";
  table.columns = {"Messages of", "bytes", "messages", "waiting, mean of ranks"};
  for (const TagFigures& row : tags_to_show(figures.tags)) {
    table.rows.push_back({row.tag, bytes_text(static_cast<double>(row.bytes)),
                          count_text(row.messages), fmt::format("{:.1f} s", row.waited_s)});
  }
  table.text = fmt::format("{}. {}.", ranks_text, balance_text(figures));
  return table;
}

ReportTable record_table(const ReportInput& input, const models::Trainer& trainer) {
  const RunFigures& f = input.figures;
  ReportTable rows;
  rows.emplace_back(
      "Capture", fmt::format("{} ({}), {} to train on, {} held out", input.capture->folder.string(),
                             input.capture->kind, plural(f.train_photos, "photo"), f.test_photos));
  rows.emplace_back("Training", fmt::format("{} for {}", duration_text(f.training_seconds),
                                            plural(f.steps, "step")));
  rows.emplace_back("Processor time of this start", duration_text(f.processor_seconds));
  rows.emplace_back("Scene extent", fmt::format("{:.4g}", trainer.scene_extent()));
  if (trainer.dropped_gaussians() > 0) {
    rows.emplace_back("Non-finite Gaussians dropped", count_text(trainer.dropped_gaussians()));
  }
  const ReportTable machine = machine_rows();
  rows.insert(rows.end(), machine.begin(), machine.end());
  return rows;
}

}  // namespace

std::vector<ReportView> report_views(const RunFigures& figures, const models::Trainer& trainer,
                                     Evaluator& evaluator, core::PhotoSource& photos,
                                     const std::vector<int>& train, const std::vector<int>& test) {
  std::vector<ReportView> views;
  for (const int view : views_to_show(figures, train, test)) {
    ComparedView compared;
    const ViewFigures measured = evaluator.measure(trainer.cloud(), trainer.render_options(),
                                                   photos, view, trainer.camera(view), compared);
    if (compared.photo.data.empty()) continue;  // another rank has it
    views.push_back({photos.name(view), figures_text(measured), assets::to_image8(compared.photo),
                     assets::to_image8(compared.render),
                     core::difference_picture(compared.photo, compared.render, compared.mask,
                                              core::kDifferenceWhiteAt)});
  }
  return views;
}

void write_reconstruct_report(const std::filesystem::path& path, const ReportInput& input,
                              const models::Trainer& trainer, std::vector<ReportView> views) {
  const RunFigures& figures = input.figures;
  Report report;
  report.title = name_of_capture(input.capture->folder);
  report.subtitle = fmt::format("{} to {} in {}, {}", plural(input.photos, "photo"),
                                plural(figures.gaussians, "Gaussian"),
                                plural(figures.steps, "step"), utc_time_text());
  report.headline = headline(figures);
  report.views_heading = figures.eval ? "Held-out photos" : "Photos trained on";
  if (figures.eval && figures.test_photos > kMostTestViews) {
    report.views_heading += fmt::format(" ({} of {}, the worst and the best among them)",
                                        kMostTestViews, figures.test_photos);
  }
  report.difference_white_at = core::kDifferenceWhiteAt;
  report.views = std::move(views);
  report.charts = charts(input);
  if (figures.eval) report.each_view = view_table(*figures.eval);
  if (input.ranks != nullptr) report.ranks = rank_table(*input.ranks, input.ranks_text);
  report.notes = input.warnings;
  report.notes.insert(report.notes.end(), input.capture->notes.begin(), input.capture->notes.end());
  report.settings = settings_rows(input.settings);
  report.record = record_table(input, trainer);
  report.command = input.command;
  core::write_file_atomically(path, to_html(report));
}

}  // namespace tessera::apps
