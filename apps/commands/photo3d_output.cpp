// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/commands/file_name.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/machine.h"
#include "apps/commands/multiplane_view.h"
#include "apps/commands/photo3d_folder.h"
#include "apps/commands/report.h"
#include "apps/commands/result_file.h"
#include "apps/commands/shared_film.h"
#include "apps/commands/video.h"
#include "apps/program.h"
#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "core/color_map.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/lower_case.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr int kUsualFilmWidth = 1920;
// Of the reach: eyes that far apart see the nearest against the farthest by 3 % of the
// width, which is comfortable on a screen.
constexpr double kEyes = 0.75;

bool is_film(const fs::path& path) {
  return core::lower_case(path.extension().string()) == ".mp4";
}

Viewpoint viewpoint_of(const Photo3dRun& run) {
  return {run.image().camera, median_inverse_depth(run.image()), run.options.amount * run.reach};
}

// Collective. Whether it became whole: the user may stop it, and then it is not written.
bool write_film(const fs::path& path, const Photo3dRun& run, core::ThreadPool& pool, RunLog& log) {
  std::optional<InterruptGuard> own;
  if (run.interrupt == nullptr)
    own.emplace("Stopping, without the film; once more to quit at once.");
  const InterruptGuard& interrupt = own ? *own : *run.interrupt;
  // A wish that ended the fit is none against the film that shows what was fitted.
  const bool ended_the_fit = interrupt.requested();
  Viewpoint viewpoint = viewpoint_of(run);
  viewpoint.reference.camera = film_camera(viewpoint.reference.camera, run.options.film_width);
  const core::Camera& camera = viewpoint.reference.camera;
  const std::vector<core::PosedCamera> cameras =
      motion_path(viewpoint, run.options.motion, run.options.frames);
  SharedFilm film(run.image(), cameras, run.ranks, pool);
  VideoWriter video(path, camera.width, camera.height, run.options.frames_per_second);
  const auto total = static_cast<int64_t>(cameras.size());
  const std::unique_ptr<Progress> progress = log.progress("frame", 0, total);
  log.set_bar(progress.get());
  int64_t drawn = 0;
  while (!film.ended()) {
    run.video.show_in_film(drawn, run.options.frames_per_second);
    for (const core::Image8& frame : film.next(interrupt.requested() && !ended_the_fit)) {
      video.add(frame);
      progress->update(++drawn, "");
    }
  }
  log.set_bar(nullptr);
  if (film.stopped()) return false;
  run.video.show(0);
  video.finish();
  return true;
}

// Decibels that are infinite become null.
nlohmann::ordered_json clip_json(const Photo3dRun& run) {
  return {{"frames", run.input.clip.frames.size()},
          {"frames_per_second", run.video.frames_per_second},
          {"noise", run.input.clip_statistics.noise},
          {"moving_share", run.input.clip_statistics.moving_share},
          {"loop_start", run.loop.start},
          {"loop_frames", run.loop.frames.size()},
          {"loop_faded", run.loop.faded},
          {"loop_usual_db", run.loop.usual_db},
          {"loop_clip_db", run.loop.clip_db},
          {"loop_closed_db", run.loop.closed_db}};
}

std::string figures_json(const Photo3dRun& run, const std::vector<MeasuredView>& views) {
  const core::Camera& camera = run.image().camera.camera;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const MeasuredView& view : views) {
    rows.push_back({{"name", view.name},
                    {"psnr", view.metrics.psnr},
                    {"inner_psnr", view.inner_psnr},
                    {"ssim", view.metrics.ssim}});
  }
  nlohmann::ordered_json json = {{"made_of", run.input.kind},
                                 {"width", camera.width},
                                 {"height", camera.height},
                                 {"focal_px", camera.fx},
                                 {"metric", run.image().metric},
                                 {"reach", run.reach},
                                 {"layers", run.image().layers.size()},
                                 {"pages", run.image().pages.size()},
                                 {"texel_bytes", 4 * core::texel_count(run.image().layers)},
                                 {"seconds", run.plan_seconds},
                                 {"views", rows}};
  if (run.fit) {
    json["fitted"] = {{"mean_psnr", run.fit->mean_psnr},
                      {"worst_psnr", run.fit->worst_psnr},
                      {"worst", run.fit->worst}};
  } else {
    json["unknown_share"] = run.input.unknown_share;
  }
  if (!run.input.clip.frames.empty()) json["clip"] = clip_json(run);
  json["settings"] = nlohmann::ordered_json::parse(run.settings);
  json["command"] = run.command;
  json["version"] = version();
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Report report_of(const Photo3dRun& run, const std::vector<MeasuredView>& views, const RunLog& log) {
  const core::Camera& camera = run.image().camera.camera;
  Report report;
  report.title = run.options.input.filename().string();
  report.subtitle = fmt::format("{} of {}x{} to a multiplane image, {}", run.input.kind,
                                camera.width, camera.height, utc_time_text());
  report.headline = {
      {"layers", count_text(static_cast<int64_t>(run.image().layers.size()))},
      {"texels", bytes_text(static_cast<double>(4 * core::texel_count(run.image().layers)))},
      {"to plan and build", duration_text(run.plan_seconds)},
      {"scale", run.image().metric ? "meters" : "relative"},
      {"peak memory", bytes_text(static_cast<double>(peak_memory_bytes()))}};
  if (run.fit) {
    report.headline.emplace_back(
        fmt::format("fitted photos, the worst {:.1f}", run.fit->worst_psnr),
        fmt::format("{:.1f} dB", run.fit->mean_psnr));
  } else {
    report.headline.emplace_back("of unknown depth",
                                 fmt::format("{:.1f} %", 100 * run.input.unknown_share));
  }
  report.views_heading = "Photos and the same views";
  report.difference_white_at = core::kDifferenceWhiteAt;
  for (const MeasuredView& view : views) report.views.push_back(view.shown);
  report.notes = log.warnings();
  report.settings = settings_rows(run.settings);
  report.record = machine_rows();
  report.command = run.command;
  return report;
}

// The same on all ranks, as any of them may be the one that is heard.
core::Interrupted stopped_film(const Photo3dOptions& options) {
  return core::Interrupted(
      fmt::format("Stopped before the film was whole; {} {}.", options.output.string(),
                  is_film(options.output) ? "was not written" : "holds all else"));
}

// For red and cyan glasses, as the report shows it.
core::Image8 write_pair(const fs::path& folder, const Viewpoint& viewpoint,
                        MultiplanePainter& painter) {
  const double eye = 0.5 * kEyes * viewpoint.reach;
  const core::Image8 left = assets::to_image8(painter.paint(moved(viewpoint, {-eye, 0, 0})));
  const core::Image8 right = assets::to_image8(painter.paint(moved(viewpoint, {eye, 0, 0})));
  assets::write_image(folder / "stereo.jpg", side_by_side(left, right));
  const core::Image8 glasses = anaglyph(left, right);
  assets::write_image(folder / "anaglyph.jpg", glasses);
  return report_picture(glasses);
}

void write_folder(const Photo3dRun& run, MultiplanePainter& painter, core::ThreadPool& pool,
                  RunLog& log) {
  Photo3dFolder output(run.options.output);
  const fs::path& folder = output.path();
  log.open_text(folder / "log.txt", false);
  assets::write_multiplane(folder / "scene.tmpi", run.video);
  assets::write_multiplane(folder / "view.html", run.video);

  painter.paint(run.image().camera);
  assets::write_image(folder / "depth.png", core::depth_picture(painter.depth()));
  const std::vector<MeasuredView> views =
      run.input.clip.frames.empty()
          ? measured_views(run.input, painter, pool)
          : measured_frames(run.input.clip, run.loop, run.video, painter, pool);
  for (const MeasuredView& view : views) log.info("{}: {}", view.name, figures_text(view));

  const Viewpoint viewpoint = viewpoint_of(run);
  const core::Image8 glasses = write_pair(folder, viewpoint, painter);
  core::write_file_atomically(folder / "photo3d.json", figures_json(run, views));
  Report report = report_of(run, views, log);
  report.pictures_heading = "Views beside the photo";
  const auto view_from = [&](double x) {
    return report_picture(assets::to_image8(painter.paint(moved(viewpoint, {x, 0, 0}))));
  };
  report.pictures = {{"from the left", view_from(-viewpoint.reach)},
                     {"from the right", view_from(viewpoint.reach)},
                     {"depth: near is warm", report_picture(core::depth_picture(painter.depth()))},
                     {"for red and cyan glasses", glasses}};
  core::write_file_atomically(folder / "report.html", to_html(report));
  // Last, as it takes longest and may be stopped.
  const bool whole = !run.film || write_film(folder / "film.mp4", run, pool, log);
  output.commit();
  if (!whole) throw stopped_film(run.options);
}

}  // namespace

Film wanted_film(const Photo3dOptions& options) {
  if (is_film(options.output)) return Film::kAlone;
  return assets::names_multiplane(options.output) ? Film::kNone : Film::kBeside;
}

core::Camera film_camera(const core::Camera& camera, int wanted_width) {
  int width = wanted_width > 0 ? wanted_width : std::min(camera.width, kUsualFilmWidth);
  width = std::max(2, width - width % 2);
  int height =
      static_cast<int>(std::lround(static_cast<double>(width) * camera.height / camera.width));
  height = std::max(2, height - height % 2);
  return core::scaled(camera, width, height);
}

void draw_part_of_film(const Photo3dOptions& options, const InterruptGuard& interrupt,
                       distributed::Communicator& ranks, core::ThreadPool& pool) {
  const core::MultiplaneImage nothing;
  SharedFilm film(nothing, {}, ranks, pool);
  while (!film.ended()) film.next(interrupt.requested());
  if (film.stopped()) throw stopped_film(options);
}

void check_photo3d_output(const Photo3dOptions& options) {
  const fs::path& output = options.output;
  if (assets::names_multiplane(output)) {
    assets::check_multiplane_writable(output, "--output");
  } else if (!is_film(output) && !fs::is_directory(output) && names_file(output)) {
    throw core::UsageError("--output", output.string() +
                                           " cannot be written: name a folder, or one of x.tmpi, "
                                           "x.glb, x.html, x.mtv, x.mp4");
  }
  const bool taken = fs::is_directory(output)
                         ? !fs::is_empty(output) && !holds_killed_photo3d(output)
                         : fs::exists(output);
  if (taken && !options.force) {
    throw core::UsageError("--output", output.string() + " exists; --force replaces it");
  }
  for (const fs::path& input :
       {options.input, options.second, options.depth, options.depth_model}) {
    if (!input.empty() && is_within(input, output)) {
      throw core::UsageError("--output", fmt::format("{} is read from there, and could be written "
                                                     "over; name another folder",
                                                     input.string()));
    }
  }
  if (is_film(output)) {
    core::check_file_can_be_written(output);
  } else if (!assets::names_multiplane(output)) {
    check_photo3d_folder(output);
  }
}

void write_photo3d(const Photo3dRun& run, MultiplanePainter& painter, core::ThreadPool& pool,
                   RunLog& log) {
  const fs::path& output = run.options.output;
  if (is_film(output)) {
    if (!write_film(output, run, pool, log)) throw stopped_film(run.options);
  } else if (assets::names_multiplane(output)) {
    for (const std::string& loss : assets::multiplane_losses(output, run.video)) {
      log.info("lost: {}", loss);
    }
    assets::write_multiplane(output, run.video);
  } else {
    write_folder(run, painter, pool, log);
  }
}

}  // namespace tessera::apps
