// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/commands/color_map.h"
#include "apps/commands/file_name.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/machine.h"
#include "apps/commands/multiplane_view.h"
#include "apps/commands/report.h"
#include "apps/commands/result_file.h"
#include "apps/commands/video.h"
#include "apps/program.h"
#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/lower_case.h"
#include "models/multiplane/fit.h"

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
  return {run.image.camera, median_inverse_depth(run.image), run.options.amount * run.reach};
}

core::Camera film_camera(const core::Camera& camera, int wanted_width) {
  int width = wanted_width > 0 ? wanted_width : std::min(camera.width, kUsualFilmWidth);
  width = std::max(2, width - width % 2);
  int height =
      static_cast<int>(std::lround(static_cast<double>(width) * camera.height / camera.width));
  height = std::max(2, height - height % 2);
  return core::scaled(camera, width, height);
}

// Throws core::Interrupted if the user stopped it.
void write_film(const fs::path& path, const Photo3dRun& run, MultiplanePainter& painter,
                RunLog& log) {
  Viewpoint viewpoint = viewpoint_of(run);
  viewpoint.reference.camera = film_camera(viewpoint.reference.camera, run.options.film_width);
  const core::Camera& camera = viewpoint.reference.camera;
  const std::vector<core::PosedCamera> cameras =
      motion_path(viewpoint, run.options.motion, run.options.frames);
  VideoWriter video(path, camera.width, camera.height, run.options.frames_per_second);
  const InterruptGuard interrupt;
  const auto total = static_cast<int64_t>(cameras.size());
  const std::unique_ptr<Progress> progress = log.progress("frame", 0, total);
  log.set_bar(progress.get());
  for (int64_t i = 0; i < total; ++i) {
    video.add(assets::to_image8(painter.paint(cameras[i])));
    progress->update(i + 1, "");
    if (!interrupt.requested()) continue;
    log.set_bar(nullptr);
    throw core::Interrupted(
        fmt::format("Stopped before the film was whole; {} was not written.", path.string()));
  }
  log.set_bar(nullptr);
  video.finish();
}

// A view that there is a photo of.
struct MeasuredView {
  std::string name;
  core::ImageMetrics metrics;
  double inner_psnr = 0;  // of the middle 80 % of width and height
  ReportView shown;
};

std::string figures_text(const MeasuredView& view) {
  return fmt::format("PSNR {:.2f} dB ({:.2f} in the inner 80 %), SSIM {:.4f}", view.metrics.psnr,
                     view.inner_psnr, view.metrics.ssim);
}

// What a view is held against.
struct Truth {
  const core::PosedCamera& camera;
  const core::Image8& pixels;
  const core::Image8& mask;
};

double inner_psnr(const core::ImageF& render, const Truth& photo, core::ThreadPool& pool) {
  const int margin_x = photo.pixels.width / 10;
  const int margin_y = photo.pixels.height / 10;
  const core::PixelWindow inner = {margin_x, margin_y, photo.pixels.width - 2 * margin_x,
                                   photo.pixels.height - 2 * margin_y};
  core::ImageF of_render;
  core::Image8 of_photo;
  core::Image8 of_mask;
  core::crop(render, inner, of_render);
  core::crop(photo.pixels, inner, of_photo);
  if (!photo.mask.empty()) core::crop(photo.mask, inner, of_mask);
  return core::measure(of_render, of_photo, of_mask, pool).psnr;
}

MeasuredView measured(const std::string& name, const Truth& photo, MultiplanePainter& painter,
                      core::ThreadPool& pool) {
  const core::ImageF& render = painter.paint(photo.camera);
  MeasuredView view;
  view.name = name;
  view.metrics = core::measure(render, photo.pixels, photo.mask, pool);
  view.inner_psnr = inner_psnr(render, photo, pool);
  view.shown = {view.name, figures_text(view), photo.pixels, assets::to_image8(render),
                difference_picture(assets::over_background(photo.pixels, {0, 0, 0}), render,
                                   photo.mask, kDifferenceWhiteAt)};
  return view;
}

// Those that were not used; and the photo itself, where it has all of the depth.
std::vector<MeasuredView> measured_views(const Photo3dInput& input, MultiplanePainter& painter,
                                         core::ThreadPool& pool) {
  std::vector<MeasuredView> views;
  const models::DepthPhoto& own = input.photo;
  const core::Image8 all_count;
  if (!own.photo.empty()) {
    views.push_back(measured("photo", {own.camera, own.photo, all_count}, painter, pool));
  } else if (input.measured.empty()) {
    const models::PosedPhoto& photo = input.photos[models::reference_photo(input.photos)];
    views.push_back(
        measured("reference photo", {photo.camera, photo.pixels, photo.mask}, painter, pool));
  }
  for (const auto& [name, photo] : input.measured) {
    views.push_back(measured(name, {photo.camera, photo.pixels, photo.mask}, painter, pool));
  }
  return views;
}

std::string figures_json(const Photo3dRun& run, const std::vector<MeasuredView>& views) {
  const core::Camera& camera = run.image.camera.camera;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const MeasuredView& view : views) {
    rows.push_back({{"name", view.name},
                    {"psnr", view.metrics.psnr},
                    {"inner_psnr", view.inner_psnr},
                    {"ssim", view.metrics.ssim}});
  }
  const nlohmann::ordered_json json = {{"made_of", run.input.kind},
                                       {"width", camera.width},
                                       {"height", camera.height},
                                       {"focal_px", camera.fx},
                                       {"metric", run.image.metric},
                                       {"reach", run.reach},
                                       {"layers", run.image.layers.size()},
                                       {"pages", run.image.pages.size()},
                                       {"texel_bytes", 4 * core::texel_count(run.image.layers)},
                                       {"seconds", run.plan_seconds},
                                       {"views", rows},
                                       {"settings", nlohmann::ordered_json::parse(run.settings)},
                                       {"command", run.command},
                                       {"version", version()}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Report report_of(const Photo3dRun& run, const std::vector<MeasuredView>& views, const RunLog& log) {
  const core::Camera& camera = run.image.camera.camera;
  Report report;
  report.title = run.options.input.filename().string();
  report.subtitle = fmt::format("{} of {}x{} to a multiplane image, {}", run.input.kind,
                                camera.width, camera.height, utc_time_text());
  report.headline = {
      {"layers", count_text(static_cast<int64_t>(run.image.layers.size()))},
      {"texels", bytes_text(static_cast<double>(4 * core::texel_count(run.image.layers)))},
      {"to plan and build", duration_text(run.plan_seconds)},
      {"scale", run.image.metric ? "meters" : "relative"},
      {"peak memory", bytes_text(static_cast<double>(peak_memory_bytes()))}};
  report.views_heading = "Photos and the same views";
  report.difference_white_at = kDifferenceWhiteAt;
  for (const MeasuredView& view : views) report.views.push_back(view.shown);
  report.notes = log.warnings();
  report.settings = settings_rows(run.settings);
  report.record = machine_rows();
  report.command = run.command;
  return report;
}

void write_folder(const Photo3dRun& run, core::ThreadPool& pool, RunLog& log) {
  const fs::path& folder = run.options.output;
  fs::create_directories(folder);
  log.open_text(folder / "log.txt", false);
  assets::write_multiplane(folder / "scene.tmpi", run.image);
  assets::write_multiplane(folder / "view.html", run.image);

  MultiplanePainter painter(run.image, pool);
  const std::vector<MeasuredView> views = measured_views(run.input, painter, pool);
  for (const MeasuredView& view : views) log.info("{}: {}", view.name, figures_text(view));
  painter.paint(run.image.camera);
  assets::write_image(folder / "depth.png", depth_picture(painter.depth()));

  const Viewpoint viewpoint = viewpoint_of(run);
  const double eye = 0.5 * kEyes * viewpoint.reach;
  const core::Image8 left = assets::to_image8(painter.paint(moved(viewpoint, {-eye, 0, 0})));
  const core::Image8 right = assets::to_image8(painter.paint(moved(viewpoint, {eye, 0, 0})));
  assets::write_image(folder / "stereo.jpg", side_by_side(left, right));
  const core::Image8 glasses = anaglyph(left, right);
  assets::write_image(folder / "anaglyph.jpg", glasses);

  const bool film = have_ffmpeg();
  if (!film) log.warning("No film is written, as the program ffmpeg is not installed.");
  core::write_file_atomically(folder / "photo3d.json", figures_json(run, views));
  Report report = report_of(run, views, log);
  report.pictures_heading = "Views beside the photo";
  report.pictures = {{"from the left",
                      assets::to_image8(painter.paint(moved(viewpoint, {-viewpoint.reach, 0, 0})))},
                     {"from the right",
                      assets::to_image8(painter.paint(moved(viewpoint, {viewpoint.reach, 0, 0})))},
                     {"depth: near is warm", depth_picture(painter.depth())},
                     {"for red and cyan glasses", glasses}};
  core::write_file_atomically(folder / "report.html", to_html(report));
  // Last, as it takes longest and may be stopped.
  if (film) write_film(folder / "film.mp4", run, painter, log);
}

}  // namespace

void check_photo3d_output(const Photo3dOptions& options) {
  const fs::path& output = options.output;
  if (assets::names_multiplane(output)) {
    assets::check_multiplane_writable(output, "--output");
  } else if (!is_film(output) && !fs::is_directory(output) && names_file(output)) {
    throw core::UsageError("--output", output.string() +
                                           " cannot be written: name a folder, or one of x.tmpi, "
                                           "x.glb, x.html, x.mp4");
  }
  const bool taken = fs::is_directory(output) ? !fs::is_empty(output) : fs::exists(output);
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
  if (is_film(output)) core::check_file_can_be_written(output);
}

void write_photo3d(const Photo3dRun& run, core::ThreadPool& pool, RunLog& log) {
  const fs::path& output = run.options.output;
  if (is_film(output)) {
    MultiplanePainter painter(run.image, pool);
    write_film(output, run, painter, log);
  } else if (assets::names_multiplane(output)) {
    for (const std::string& loss : assets::multiplane_losses(output, run.image)) {
      log.info("lost: {}", loss);
    }
    assets::write_multiplane(output, run.image);
  } else {
    write_folder(run, pool, log);
  }
}

}  // namespace tessera::apps
