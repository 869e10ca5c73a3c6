// `tessera eval`: how well any scene file shows a capture's held-out photos.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "apps/command_table.h"
#include "apps/commands/evaluate.h"
#include "apps/commands/held_out.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/machine.h"
#include "apps/commands/photo_input.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/refined_poses.h"
#include "apps/commands/result_file.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/run_log.h"
#include "apps/commands/scene_view.h"
#include "apps/commands/training_record.h"
#include "apps/program.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "assets/photos/photo_cache.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/metrics.h"
#include "core/options.h"
#include "distributed/backends/lone_rank.h"

namespace tessera::apps {
namespace {

constexpr int64_t kMostPhotoBytes = 512 << 20;

struct EvalOptions {
  std::filesystem::path scene;
  std::filesystem::path capture;
  PhotoInput photos;
  int test_every = 8;
  bool all = false;
  std::array<float, 3> background = {0, 0, 0};
  std::optional<bool> antialiasing;
  float near_plane = 0.01F;
  std::string json;
  int threads = 0;
  bool quiet = false;
};

void bind(core::OptionTable& table, EvalOptions& o) {
  table.positional("SCENE", o.scene, "a scene file of any format that is read, or a run's folder");
  table.positional("CAPTURE", o.capture, "the photos and their cameras",
                   "-d, --data, -s, --source-path");
  bind_photo_input(table, o.photos);
  table.add("--test-every", o.test_every, "N", "measure every Nth photo by sorted name")
      .range(1)
      .common();
  table.flag("--all", o.all, "measure every photo, those trained on too").common();
  table
      .add_parsed(
          "--background", "COLOR", "black, white, #rrggbb or r,g,b of 0 to 1",
          [&o](const std::string& text) { o.background = parse_color(text); },
          [&o] { return color_text(o.background); })
      .common();
  table.add_parsed(
      "--antialiasing", "on|off", "instead of what the scene's file says",
      [&o](const std::string& text) {
        if (text != "on" && text != "off") throw std::invalid_argument("on or off");
        o.antialiasing = text == "on";
      },
      [&o] { return o.antialiasing ? (*o.antialiasing ? "on" : "off") : ""; });
  table.add("--near", o.near_plane, "Z", "what is nearer than this is not drawn").range(1e-6);
  table.add("--json", o.json, "FILE", "write the figures as JSON; - is standard output").common();
  table.add("--threads", o.threads, "N", "0: one per core").range(0, 1024);
  table.flag("--quiet", o.quiet, "only the table, warnings and errors");
}

// What was measured, and whether those photos were held out in training, if that is known.
struct Measured {
  EvalFigures figures;
  std::optional<bool> held_out;
};

std::string to_json(const EvalOptions& options, const Measured& measured, int64_t gaussians) {
  const EvalFigures& figures = measured.figures;
  nlohmann::ordered_json views = nlohmann::ordered_json::array();
  for (const ViewFigures& view : figures.views) {
    nlohmann::ordered_json row = {{"name", view.name},
                                  {"width", view.width},
                                  {"height", view.height},
                                  {"counted_pixels", view.counted_pixels}};
    if (view.counted_pixels > 0) {
      row["psnr"] = view.psnr;
      row["ssim"] = view.ssim;
      if (view.ms_ssim) row["ms_ssim"] = *view.ms_ssim;
    }
    views.push_back(row);
  }
  nlohmann::ordered_json json = {{"scene", options.scene.string()},
                                 {"capture", options.capture.string()},
                                 {"gaussians", gaussians},
                                 {"held_out", nullptr},
                                 {"psnr", figures.psnr},
                                 {"ssim", figures.ssim},
                                 {"views", views}};
  if (measured.held_out) json["held_out"] = *measured.held_out;
  if (figures.ms_ssim) json["ms_ssim"] = *figures.ms_ssim;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_table(const EvalFigures& figures) {
  size_t width = 5;
  for (const ViewFigures& view : figures.views) width = std::max(width, view.name.size());
  fmt::print("{:<{}}  {:>9}  {:>7}  {:>7}  {:>11}\n", "photo", width, "PSNR, dB", "SSIM", "MS-SSIM",
             "size");
  const auto scales = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : std::string("-");
  };
  for (const ViewFigures& view : figures.views) {
    const std::string size = fmt::format("{}x{}", view.width, view.height);
    if (view.counted_pixels == 0) {
      fmt::print("{:<{}}  masked out as a whole: counts for nothing\n", view.name, width);
      continue;
    }
    fmt::print("{:<{}}  {:>9.2f}  {:>7.4f}  {:>7}  {:>11}\n", view.name, width, view.psnr,
               view.ssim, scales(view.ms_ssim), size);
  }
  fmt::print("{:<{}}  {:>9.2f}  {:>7.4f}  {:>7}\n", "mean", width, figures.psnr, figures.ssim,
             scales(figures.ms_ssim));
  const bool too_small =
      std::any_of(figures.views.begin(), figures.views.end(),
                  [](const ViewFigures& view) { return view.counted_pixels > 0 && !view.ms_ssim; });
  if (too_small) {
    fmt::print("MS-SSIM needs photos with at least {} pixels on the shorter side.\n",
               core::kMsSsimShortestSide);
  }
}

std::vector<int> views_to_measure(const EvalOptions& options, const core::Capture& capture) {
  const HeldOut split = hold_out(capture, true, options.test_every);
  if (!options.all && split.test.empty()) {
    throw core::Error(fmt::format("{}: no photo is held out; --all measures every photo.",
                                  capture.folder.string()));
  }
  std::vector<int> views = split.test;
  if (options.all) views.insert(views.end(), split.train.begin(), split.train.end());
  std::sort(views.begin(), views.end());
  return views;
}

std::string resolution_text(int resolution, int max_resolution) {
  return fmt::format("--resolution {}{}", resolution,
                     max_resolution > 0 ? fmt::format(" --max-resolution {}", max_resolution) : "");
}

// Whether the photos that are measured were held out when the scene was trained, by the record of
// that run; nothing without one. Says so if they were not.
std::optional<bool> were_held_out(const EvalOptions& options, const core::Capture& capture,
                                  const TrainingRecord& record, RunLog& log) {
  if (options.all) return false;
  const bool marked = std::any_of(capture.views.begin(), capture.views.end(),
                                  [](const core::CaptureView& view) { return view.is_test; });
  if (marked) return true;  // the capture's own test photos never train
  if (!record.held_out) {
    log.warning(
        "{} says that no photos were held out: these figures are of photos that the scene "
        "was trained on.",
        record.file.string());
    return false;
  }
  if (options.test_every % record.test_every == 0) return true;
  log.warning(
      "{} says that photos were held out with --test-every {}: with {}, as here, the scene "
      "was trained on some of those measured.",
      record.file.string(), record.test_every, options.test_every);
  return false;
}

std::optional<bool> compare_with_training(const EvalOptions& options, const core::Capture& capture,
                                          RunLog& log) {
  const std::optional<TrainingRecord> record = training_record(options.scene);
  if (!record || !is_capture_of(*record, options.capture)) return std::nullopt;
  const PhotoInput& photos = options.photos;
  if (record->resolution != photos.resolution || record->max_resolution != photos.max_resolution) {
    log.info("The scene was trained at {}, and is measured at {}.",
             resolution_text(record->resolution, record->max_resolution),
             resolution_text(photos.resolution, photos.max_resolution));
  }
  if (record->camera != photos.camera) {
    log.info("The scene was trained with --camera {}, and is measured with --camera {}.",
             record->camera, photos.camera);
  }
  return were_held_out(options, capture, *record, log);
}

Measured measure(const EvalOptions& options, core::GaussianScene& scene, RunLog& log) {
  core::ThreadPool pool(options.threads);
  core::Capture capture = assets::read_capture(options.capture, capture_options(options.photos));
  for (const std::string& warning : capture.warnings) log.warning("{}", warning);
  for (const std::string& note : capture.notes) log.info("{}", note);
  if (capture.alpha_is_opacity) {
    log.info("Photos are laid over {} where they are transparent (--background).",
             options.background == std::array<float, 3>{0, 0, 0} ? "black"
                                                                 : color_text(options.background));
  }
  const std::optional<bool> held_out = compare_with_training(options, capture, log);
  take_refined_poses(capture, options.capture, options.scene, origin_of(scene), log);
  move_to_origin(scene, capture.origin_in_file);

  assets::PhotoOptions wanted = photo_options(options.photos);
  const std::vector<int> views = views_to_measure(options, capture);
  // Each is looked at once: only so many are kept that decoding ahead has room.
  const assets::PhotoPlan plan = assets::plan_photos(capture, views, wanted);
  wanted.cache_bytes = std::max(plan.minimum_bytes, std::min(plan.decoded_bytes, kMostPhotoBytes));
  const std::unique_ptr<core::PhotoSource> photos =
      assets::open_photos(capture, views, wanted, pool, log);
  std::vector<int> measured(photos->count());
  std::iota(measured.begin(), measured.end(), 0);
  std::vector<int> counted = measured;
  const std::vector<std::string> masked_out = take_masked_out(*photos, counted);
  if (counted.empty()) {
    throw core::Error(
        masked_out_text(masked_out, "measured photo", "there are no others, so no figures"));
  }

  render::RasterizeOptions draw;
  draw.sh_degree = scene.cloud.sh_degree;
  draw.antialiased = options.antialiasing.value_or(scene.antialiased);
  draw.near_plane = options.near_plane;
  draw.background = {options.background[0], options.background[1], options.background[2]};
  const InterruptGuard interrupt;
  const auto progress = log.progress("photo", 0, static_cast<int64_t>(measured.size()));
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  Evaluator evaluator("cpu", *alone, pool);
  EvalFigures figures = evaluator.measure_all(
      scene.cloud, draw, *photos, measured, [&](size_t index, const ViewFigures&) {
        progress->update(static_cast<int64_t>(index) + 1, "");
        return !interrupt.requested();
      });
  if (interrupt.requested()) throw core::Interrupted("Stopped; nothing was written.");
  return {std::move(figures), held_out};
}

}  // namespace

int run_eval(const std::vector<std::string>& arguments) {
  EvalOptions options;
  core::OptionTable table("tessera eval", "Measures a scene against a capture's held-out photos.",
                          "tessera eval out/banana/scene.ply photos/banana -r 2");
  bind(table, options);
  if (const std::optional<std::string> help = table.parse(arguments)) {
    std::fputs(help->c_str(), stdout);
    return kExitDone;
  }
  RunLog log(options.quiet || options.json == "-");
  if (std::filesystem::is_directory(options.scene) &&
      assets::is_multiplane(multiplane_file(options.scene))) {
    throw core::UsageError("SCENE", options.scene.string() +
                                        " is a multiplane image, and Gaussians are measured; "
                                        "photo3d --measure holds photos against one");
  }
  options.scene = scene_file(options.scene);
  if (!options.json.empty() && options.json != "-") {
    std::vector<std::filesystem::path> inputs = {options.scene, capture_folder(options.capture)};
    if (!options.photos.images.empty()) inputs.push_back(options.photos.images);
    refuse_inputs(options.json, "--json", inputs);
    core::check_file_can_be_written(options.json);
  }
  core::GaussianScene scene = assets::read_scene(options.scene);
  for (const std::string& note : scene.notes) log.info("{}", note);
  const int64_t gaussians = scene.cloud.size();
  const Measured measured = measure(options, scene, log);
  const std::string json = to_json(options, measured, gaussians);
  if (options.json == "-") {
    std::fputs(json.c_str(), stdout);
    return kExitDone;
  }
  print_table(measured.figures);
  if (!options.json.empty()) core::write_file_atomically(options.json, std::string_view(json));
  return kExitDone;
}

}  // namespace tessera::apps
