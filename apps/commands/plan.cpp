// `tessera plan`: what a training run would cost on other numbers of ranks, by a model.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/command_table.h"
#include "apps/commands/held_out.h"
#include "apps/commands/photo_input.h"
#include "apps/commands/plan_table.h"
#include "apps/commands/progress.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/reconstruct_start.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/shell_words.h"
#include "apps/program.h"
#include "assets/captures/capture_reader.h"
#include "assets/photos/photo_cache.h"
#include "assets/photos/photo_loader.h"
#include "core/error.h"
#include "core/thread_pool.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/model.h"

namespace tessera::apps {
namespace {

constexpr const char* kName = "tessera plan";

struct PlanOptions {
  ReconstructOptions run;
  std::vector<int> ranks = {1, 2, 4, 8, 16, 32, 64};
  int batch = 0;
  int64_t gaussians = 0;
  double bandwidth_gb = 1.25;
  double latency_us = 20;
  double cores = 1;
  bool json = false;
  bool quiet = false;
};

void bind(core::OptionTable& table, PlanOptions& o) {
  table.positional("CAPTURE", o.run.capture,
                   "folder of photos with poses: COLMAP, transforms.json, Blender");
  table.add("--ranks", o.ranks, "N...", "numbers of ranks").range(1, 1024).common();
  table
      .add("--scene", o.run.init_ply, "FILE",
           "Gaussians to plan with, a scene or a run's folder; else the capture's points")
      .common();
  table
      .add("--gaussians", o.gaussians, "N",
           "of the run; 0: those of --scene, or what reconstruct may grow to")
      .range(0)
      .common();
  table.add("--batch", o.batch, "B", "photos per step; 0: one for each rank").range(0).common();
  table.add("--bandwidth", o.bandwidth_gb, "GB/S", "that a rank sends, and gets at once")
      .range(1e-6)
      .common();
  table.add("--latency", o.latency_us, "US", "of a message, in microseconds").range(0).common();
  table.add("--cores", o.cores, "N", "of each rank").range(0.01).common();
  table.flag("--json", o.json, "the same as JSON").common();
  table.flag("--quiet", o.quiet, "no progress");
  bind_photo_input(table, o.run.photos);
  models::TrainSettings& t = o.run.train;
  table.add("-n, --iterations", t.iterations, "N", "of the run: bounds how far it grows").range(1);
  table.add("--sh-degree", t.sh_degree, "0..4", "of the view-dependent color").range(0, 4);
  table.add("--seed", t.seed, "N", "of the order of views");
  bind_messages(table, t);
}

bool is_smaller(const core::PosedCamera& a, const core::PosedCamera& b) {
  return int64_t{a.camera.width} * a.camera.height < int64_t{b.camera.width} * b.camera.height;
}

std::vector<core::PosedCamera> cameras_of(const core::Capture& capture,
                                          const std::vector<int>& views,
                                          const assets::PhotoOptions& photos) {
  std::vector<core::PosedCamera> cameras;
  for (const int view : views) {
    const core::CaptureView& taken = capture.views[view];
    cameras.push_back({photo_geometry(taken, photos).output, taken.cam_from_world});
  }
  return cameras;
}

// Whether the scene is one of these photos at all.
void warn_of_strange_scene(const PlanReport& report, const std::filesystem::path& scene) {
  constexpr int64_t kFew = 100;
  const int64_t most = report.plan.most_visible;
  if (scene.empty() || most >= std::min(kFew, report.cloud_gaussians / kFew + 1)) return;
  fmt::print(stderr,
             "The photos show at most {} of the {} of {}: it seems to be the scene of another "
             "capture, or to stand elsewhere, and then this plan means nothing.\n",
             most, plural(report.cloud_gaussians, "Gaussian"), scene.string());
}

}  // namespace

int run_plan(const std::vector<std::string>& arguments) {
  PlanOptions options;
  core::OptionTable table(kName, "Foresees what training on many ranks costs: a model.",
                          "tessera plan photos/city --scene out/city --gaussians 20000000");
  bind(table, options);
  if (const auto help = table.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }
  ReconstructOptions& run = options.run;
  const core::Capture capture = assets::read_capture(run.capture, capture_options(run.photos));
  for (const std::string& warning : capture.warnings) fmt::print(stderr, "{}\n", warning);
  const std::vector<int> views = hold_out(capture, false, 0).train;
  if (views.empty()) {
    throw core::Error(fmt::format("{}: there are no photos to plan with.", run.capture.string()));
  }
  const assets::PhotoOptions photos = photo_options(run.photos);
  const std::vector<core::PosedCamera> cameras = cameras_of(capture, views, photos);
  core::ThreadPool pool(core::granted_cores());
  run.train.max_gaussians = options.gaussians;
  if (is_run_folder(run.init_ply)) run.init_ply = scene_file(run.init_ply);
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  StartCloud start = read_start_cloud(run, capture, 0, *alone, pool);
  if (start.cloud.size() == 0) {
    throw core::UsageError("--scene",
                           fmt::format("is needed: {} has no points to plan with; give a scene of "
                                       "it, such as one trained for some hundred steps",
                                       run.capture.string()));
  }
  PlanReport report;
  report.cloud_gaussians = start.cloud.size();
  report.gaussians = options.gaussians;
  if (report.gaussians == 0) {
    run.train.max_gaussians = 0;
    report.gaussians = run.init_ply.empty()
                           ? models::gaussian_budget(run.train, cameras, start.cloud.size())
                           : start.cloud.size();
  }
  models::PlanRequest& request = report.request;
  request.ranks = options.ranks;
  request.batch = options.batch;
  request.gaussians = report.gaussians;
  request.settings = run.train;
  request.model.cores = options.cores;
  request.model.bytes_per_second = 1e9 * options.bandwidth_gb;
  request.model.latency_s = 1e-6 * options.latency_us;
  request.model.overlap = run.train.overlap;
  report.decoded_photo_bytes = assets::plan_photos(capture, views, photos).decoded_bytes;
  report.command = shell_line(kName, arguments);
  const core::Camera& largest =
      std::max_element(cameras.begin(), cameras.end(), is_smaller)->camera;
  report.source = fmt::format("{}: {} of up to {}x{}; {}; a run of {}", capture.kind,
                              plural(static_cast<int64_t>(cameras.size()), "photo"), largest.width,
                              largest.height, start.text, plural(report.gaussians, "Gaussian"));
  const Progress::Style style = progress_style(options.json || options.quiet);
  std::optional<Progress> progress;
  report.plan = models::plan_ranks(request, std::move(start.cloud), cameras, pool,
                                   [&](int64_t done, int64_t all_steps) {
                                     if (!progress)
                                       progress.emplace("step", 0, all_steps, style, stderr);
                                     progress->update(done, "");
                                   });
  progress.reset();
  warn_of_strange_scene(report, run.init_ply);
  fmt::print("{}\n", options.json ? to_json(report) : to_text(report));
  return kExitDone;
}

}  // namespace tessera::apps
