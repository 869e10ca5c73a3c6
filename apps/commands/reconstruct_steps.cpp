// The steps of a run and what happens between and after them.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/commands/machine.h"
#include "apps/commands/reconstruct_report.h"
#include "apps/commands/reconstruct_run.h"
#include "apps/commands/replaced_run.h"
#include "apps/commands/shell_words.h"
#include "assets/io.h"
#include "assets/origin_sidecar.h"
#include "core/error.h"
#include "core/evenly_spread.h"
#include "distributed/long_work.h"
#include "models/gaussian/sharded/cloud_stream.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kHistorySamples = 200;  // points of a curve, at most about twice as many

// The same file under a second name, whole at every moment; a copy where links are not possible.
void link_or_copy(const fs::path& from, const fs::path& to) {
  const fs::path temporary = to.string() + ".tmp";
  fs::remove(temporary);
  std::error_code error;
  fs::create_hard_link(from, temporary, error);
  if (error) fs::copy_file(from, temporary, fs::copy_options::overwrite_existing);
  fs::rename(temporary, to);
}

std::string command_for_figures(const ReconstructOptions& options, const fs::path& scene) {
  std::vector<std::string> words = {scene.string(), options.capture.string()};
  const auto add = [&](const char* name, const std::string& value) {
    words.insert(words.end(), {name, value});
  };
  const PhotoInput& photos = options.photos;
  if (photos.resolution != 1) add("-r", std::to_string(photos.resolution));
  if (photos.max_resolution > 0) add("--max-resolution", std::to_string(photos.max_resolution));
  if (!photos.images.empty()) add("--images", photos.images.string());
  if (photos.camera != "undistort") add("--camera", photos.camera);
  if (photos.invert_masks) words.emplace_back("--invert-masks");
  if (photos.skip_bad_images) words.emplace_back("--skip-bad-images");
  if (options.test_every) add("--test-every", std::to_string(*options.test_every));
  return shell_line("all steps are done, only the figures are missing: tessera eval", words);
}

}  // namespace

models::TrainHooks ReconstructRun::hooks() {
  models::TrainHooks hooks;
  hooks.progress = [this](const models::TrainProgress& progress) { on_step(progress); };
  hooks.wishes = [this] { return wishes(); };
  hooks.requested = [this](int64_t request) { meet(request); };
  hooks.checkpoints = layout_.checkpoints();
  hooks.trace = trace();
  const models::TrainSettings& settings = trainer_->settings();
  // Written before the checkpoint of the same step: curves that end later are cut on resuming.
  hooks.events.push_back({{}, settings.checkpoint_every, [this] {
                            if (leads()) write_history(layout_.history(), history_);
                          }});
  hooks.events.push_back({options_.save_iterations, options_.save_every, [this] { save_scene(); }});
  if (!test_photos_.empty()) {
    const int64_t every =
        options_.test_iterations.empty() ? std::max<int64_t>(settings.iterations / 10, 1) : 0;
    // The curve costs at most one render in 20 steps.
    curve_views_ =
        options_.test_iterations.empty()
            ? core::evenly_spread(test_photos_, std::max<int64_t>(settings.iterations / 200, 1))
            : test_photos_;
    hooks.events.push_back({options_.test_iterations, every, [this] { measure_now(); }});
  }
  return hooks;
}

void ReconstructRun::on_step(const models::TrainProgress& progress) {
  training_seconds_ = progress.seconds;
  loss_sum_ += progress.loss;
  ++loss_count_;
  const int64_t every = std::max<int64_t>(progress.iterations / kHistorySamples, 1);
  const int64_t last = history_.samples.empty() ? 0 : history_.samples.back().step;
  if (progress.images_seen - last >= every || progress.images_seen == progress.iterations) {
    const double loss = loss_sum_ / static_cast<double>(loss_count_);
    history_.samples.push_back(
        {progress.images_seen, loss, progress.gaussians, seconds_before_ + progress.seconds});
    log_.event("step", {{"step", progress.images_seen},
                        {"loss", loss},
                        {"gaussians", progress.gaussians},
                        {"seconds", seconds_before_ + progress.seconds}});
    shown_loss_ = loss;
    loss_sum_ = 0;
    loss_count_ = 0;
  }
  if (live_) {
    live_->step_done(progress, seconds_before_);
    live_->extend_curves(history_);
  }
  if (shown_loss_ == 0) shown_loss_ = progress.loss;
  if (progress_->due(progress.images_seen)) {
    progress_->update(
        progress.images_seen,
        fmt::format("{} Gaussians | loss {:.4f}", count_text(progress.gaussians), shown_loss_));
  }
}

void ReconstructRun::train() {
  const int64_t total = trainer_->settings().iterations;
  progress_ = log_.progress("step", trainer_->images_seen(), total);
  log_.set_bar(progress_.get());
  if (!options_.trace.empty()) trace_.emplace(place_.ranks, options_.trace_steps);
  for (const distributed::Traffic& row : place_.ranks.traffic()) waited_before_ += row.waited_s;
  models::TrainEnd end;
  try {
    end = trainer_->run(hooks());
  } catch (const core::IoError&) {
    save_scene_after_fault();
    throw;
  }
  log_.set_bar(nullptr);
  progress_.reset();
  finish(end == models::TrainEnd::kStopped);
}

// A disk too full for a checkpoint may hold the scene, a third of its size, and that is what the
// run was for. Other ranks are gone by then, and with them their share.
void ReconstructRun::save_scene_after_fault() {
  if (place_.ranks.size() > 1) return;
  try {
    save_scene();
    log_.info("The scene of step {} is saved: {}", count_text(trainer_->images_seen()),
              layout_.scene.string());
  } catch (const core::IoError&) {
    // The fault that led here is the one to be told.
  }
}

void ReconstructRun::save_scene() {
  const int64_t step = trainer_->images_seen();
  if (saved_at_ == step) return;
  const core::TraceSpan span(trace(), "save scene");
  show(LivePhase::kSaving);
  write_scene_files(step);
  saved_at_ = step;
  show(LivePhase::kTraining);
  if (live_) live_->saved(step);
}

// Collective: the rank that leads writes, from pieces that the others send.
void ReconstructRun::write_scene(const fs::path& path, const core::GaussianScene& scene) {
  const core::GaussianCloud& own = trainer_->cloud();
  const int64_t count = place_.ranks.all_reduce("streamed cloud", distributed::Reduction::kSum,
                                                assets::count_written(own));
  std::optional<assets::SceneWriter> writer;
  if (leads()) writer.emplace(path, scene, count);
  models::stream_cloud(place_.ranks, own,
                       [&](const core::GaussianCloud& piece) { writer->append(piece); });
  if (leads()) writer->commit();
}

void ReconstructRun::write_scene_files(int64_t step) {
  const distributed::LongWork working(place_.ranks, "writing the scene");
  const core::GaussianScene scene = scene_without_gaussians();
  const bool is_folder = !layout_.scene_is_output;
  const fs::path saved = is_folder ? layout_.saved_scene(step) : layout_.scene;
  if (is_folder && leads()) fs::create_directories(saved.parent_path());
  write_scene(saved, scene);
  if (!leads()) return;
  if (is_folder) {
    link_or_copy(saved, layout_.scene);
    if (assets::has_origin(scene.origin_in_file)) {
      link_or_copy(assets::sidecar_path(saved), assets::sidecar_path(layout_.scene));
    }
  }
  // With the first scene, not before: until then they are those of the scene that stands there.
  // Refined poses go on moving.
  if (saved_at_ < 0 || trainer_->settings().pose_opt) write_files_for_viewers();
  log_.event("saved", {{"step", step}, {"file", layout_.scene.string()}});
  if (step < trainer_->settings().iterations) {
    log_.info("Saved {} at step {}", saved.string(), count_text(step));
  }
}

void ReconstructRun::write_files_for_viewers() const {
  std::vector<NamedCamera> named;
  named.reserve(photos_->count());
  for (int i = 0; i < photos_->count(); ++i) {
    named.push_back({photos_->name(i), trainer_->camera(i)});
  }
  const auto& background = options_.train.background;
  write_viewer_files(layout_, capture_, named, options_.train.sh_degree,
                     background == std::array<float, 3>{1, 1, 1}, options_.eval);
}

void ReconstructRun::measure_now() {
  const int64_t step = trainer_->images_seen();
  if (step == trainer_->settings().iterations) return;  // measure_at_end() does
  const core::TraceSpan span(trace(), "evaluate");
  const distributed::LongWork working(place_.ranks, "measuring held-out photos");
  const EvalFigures eval =
      evaluator_->measure_all(trainer_->cloud(), trainer_->render_options(), *photos_, curve_views_,
                              [this](size_t, const ViewFigures&) { return !stop_wished(); });
  if (eval.views.size() < curve_views_.size()) return;
  history_.tests.push_back({step, eval.psnr, eval.ssim});
  log_.event("eval", {{"step", step},
                      {"photos", static_cast<int64_t>(eval.views.size())},
                      {"psnr", eval.psnr},
                      {"ssim", eval.ssim}});
  if (!options_.test_iterations.empty()) {
    log_.info("Step {}: PSNR {:.2f} dB, SSIM {:.4f} over {}", count_text(step), eval.psnr,
              eval.ssim, plural(static_cast<int64_t>(eval.views.size()), "held-out photo"));
  }
}

// Collective. Whether it was done, and not stopped by the user.
bool ReconstructRun::measure_at_end() {
  if (test_photos_.empty()) return true;
  const distributed::LongWork working(place_.ranks, "measuring held-out photos");
  const std::unique_ptr<Progress> progress =
      log_.progress("held-out photo", 0, static_cast<int64_t>(test_photos_.size()));
  log_.set_bar(progress.get());
  EvalFigures eval =
      evaluator_->measure_all(trainer_->cloud(), trainer_->render_options(), *photos_, test_photos_,
                              [&](size_t index, const ViewFigures&) {
                                progress->update(static_cast<int64_t>(index) + 1, "");
                                return !stop_wished();
                              });
  log_.set_bar(nullptr);
  if (eval.views.size() < test_photos_.size()) return false;
  const int64_t step = trainer_->images_seen();
  // The curve's last point is of the same photos as its others.
  EvalFigures curve;
  for (size_t i = 0; i < test_photos_.size(); ++i) {
    if (std::find(curve_views_.begin(), curve_views_.end(), test_photos_[i]) !=
        curve_views_.end()) {
      curve.views.push_back(eval.views[i]);
    }
  }
  take_means(curve);
  history_.tests.push_back({step, curve.psnr, curve.ssim});
  log_.event("eval", {{"step", step},
                      {"photos", static_cast<int64_t>(eval.views.size())},
                      {"psnr", eval.psnr},
                      {"ssim", eval.ssim}});
  if (leads()) write_results(layout_.folder, step, eval);
  eval_ = std::move(eval);
  return true;
}

void ReconstructRun::finish(bool stopped) {
  save_scene();
  if (live_) live_->wishes_to_save_met();
  show(LivePhase::kMeasuring);
  if (place_.ranks.size() > 1) rank_figures_ = rank_figures(place_.ranks, *trainer_);
  if (trace_) write_trace();
  if (leads()) write_history(layout_.history(), history_);
  const bool measured = !stopped && measure_at_end();
  if (leads()) write_history(layout_.history(), history_);
  if (live_) live_->extend_curves(history_);
  if (measured) write_report();
  if (!leads()) return;
  if (!measured) stop();
  write_run_record(layout_.record(), words_.settings, words_.command, figures());
  remove_replaced_runs(layout_);
  say_figures();
  show(LivePhase::kDone);
}

void ReconstructRun::write_trace() {
  const distributed::LongWork working(place_.ranks, "writing the trace");
  const int64_t cut_at = trace_->write(options_.trace);
  trace_.reset();
  if (cut_at == 0) return;
  log_.warning(
      "The trace has no steps from {} on, since it holds at most {} events a rank; --trace-steps "
      "A:B records others.",
      count_text(cut_at), count_text(RunTrace::kMostEvents));
}

// Throws core::Interrupted.
void ReconstructRun::stop() {
  const int64_t step = trainer_->images_seen();
  write_run_record(layout_.record(), words_.settings, words_.command, figures());
  log_.event("stopped", {{"step", step}, {"scene", layout_.scene.string()}});
  show(LivePhase::kStopped);
  std::vector<std::string> go_on = {"--resume", "-o", options_.output.string()};
  if (options_.ranks > 1) {
    go_on.insert(go_on.end(), {"--ranks", std::to_string(options_.ranks)});
  }
  // Nothing after the command, which is there to be copied.
  throw core::Interrupted(fmt::format(
      "Stopped at step {} of {} and saved {}; {}", count_text(step),
      count_text(trainer_->settings().iterations), layout_.scene.string(),
      step < trainer_->settings().iterations ? shell_line("to go on: tessera reconstruct", go_on)
                                             : command_for_figures(options_, layout_.scene)));
}

// Collective.
void ReconstructRun::write_report() {
  const distributed::LongWork working(place_.ranks, "writing the report");
  std::vector<ReportView> views =
      report_views(figures(), *trainer_, *evaluator_, *photos_, train_photos_, test_photos_);
  if (!leads()) return;
  ReportInput input;
  input.capture = &capture_;
  input.options = &options_;
  input.settings = words_.settings;
  input.command = words_.same_again;
  input.history = &history_;
  input.photos = photos_->count();
  input.curve_photos = static_cast<int>(curve_views_.size());
  input.figures = figures();
  input.ranks = rank_figures_ ? &*rank_figures_ : nullptr;
  input.ranks_text = place_.text;
  input.warnings = log_.warnings();
  write_reconstruct_report(layout_.report(), input, *trainer_, std::move(views));
}

void ReconstructRun::say_figures() {
  const RunFigures end = figures();
  if (options_.profile) say_profile();
  if (end.eval) {
    log_.info("Held out: PSNR {:.2f} dB, SSIM {:.4f}{} over {}", end.eval->psnr, end.eval->ssim,
              end.eval->ms_ssim ? fmt::format(", MS-SSIM {:.4f}", *end.eval->ms_ssim) : "",
              plural(static_cast<int64_t>(end.eval->views.size()), "photo"));
  } else if (all_tests_masked_out_) {
    log_.info("Held out: no figures, since masks leave no pixel of any held-out photo");
  }
  log_.info("{} after {} in {} ({:.1f} ms a {}), peak memory {}", plural(end.gaussians, "Gaussian"),
            plural(end.steps, "step"), duration_text(end.training_seconds),
            1e3 * end.training_seconds / static_cast<double>(end.steps),
            trainer_->settings().batch > 1 ? "photo" : "step",
            bytes_text(static_cast<double>(end.peak_memory_bytes)));
  if (rank_figures_) {
    for (const std::string& line : table_of(*rank_figures_)) log_.info("{}", line);
  }
  log_.info("Scene   {}", layout_.scene.string());
  log_.info("Report  {}", layout_.report().string());
  log_.info("Record  {}", layout_.record().string());
  if (!options_.trace.empty()) log_.info("Trace   {}", options_.trace.string());
  log_.event("end", {{"step", end.steps},
                     {"gaussians", end.gaussians},
                     {"training_seconds", end.training_seconds},
                     {"wall_seconds", end.wall_seconds},
                     {"processor_seconds", end.processor_seconds},
                     {"peak_memory_bytes", static_cast<int64_t>(end.peak_memory_bytes)},
                     {"psnr", end.eval ? end.eval->psnr : std::nan("")},
                     {"ssim", end.eval ? end.eval->ssim : std::nan("")},
                     {"scene", layout_.scene.string()}});
}

void ReconstructRun::say_profile() {
  const models::Trainer::Profile profile = trainer_->profile();
  if (profile.steps == 0) return;
  const auto steps = static_cast<double>(profile.steps);
  double named = 0;
  log_.info("{:<28}{:>12}{:>9}", "stage", "ms a step", "share");
  for (const render::StageTime& stage : profile.stages) {
    named += stage.milliseconds;
    log_.info("{:<28}{:>12.3f}{:>8.1f}%", stage.stage, stage.milliseconds / steps,
              100 * stage.milliseconds / profile.total_milliseconds);
  }
  const double rest = profile.total_milliseconds - named;
  log_.info("{:<28}{:>12.3f}{:>8.1f}%", models::kNoStage, rest / steps,
            100 * rest / profile.total_milliseconds);
  log_.info("{:<28}{:>12.3f}{:>8.1f}%", "step", profile.total_milliseconds / steps, 100.0);
}

}  // namespace tessera::apps
