// SPDX-License-Identifier: MIT
#include "apps/commands/reconstruct_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "apps/commands/machine.h"
#include "apps/commands/photos_on_ranks.h"
#include "apps/commands/reconstruct_start.h"
#include "apps/commands/replaced_run.h"
#include "apps/commands/result_file.h"
#include "apps/commands/resume_point.h"
#include "apps/commands/scene_frame.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "assets/photos/photo_cache.h"
#include "assets/photos/photo_loader.h"
#include "core/error.h"
#include "core/file_io.h"
#include "distributed/long_work.h"
#include "models/gaussian/model.h"
#include "models/gaussian/random_start.h"

namespace tessera::apps {
namespace {

assets::PhotoOptions photos_to_train_on(const ReconstructOptions& options) {
  assets::PhotoOptions photo = photo_options(options.photos);
  photo.load_depth = options.train.depth_weight > 0;
  return photo;
}

std::string sizes_text(const core::PhotoSource& photos) {
  std::set<std::pair<int, int>> sizes;
  for (int i = 0; i < photos.count(); ++i) {
    const core::Camera& camera = photos.camera(i).camera;
    sizes.emplace(camera.width, camera.height);
  }
  const auto [width, height] = *sizes.rbegin();
  if (sizes.size() == 1) return fmt::format("{}x{}", width, height);
  return fmt::format("{} sizes up to {}x{}", sizes.size(), width, height);
}

int distinct_cameras(const core::Capture& capture) {
  std::vector<core::Camera> seen;
  for (const core::CaptureView& view : capture.views) {
    if (std::find(seen.begin(), seen.end(), view.camera) == seen.end()) seen.push_back(view.camera);
  }
  return static_cast<int>(seen.size());
}

[[noreturn]] void refuse_no_photos(const core::Capture& capture) {
  throw core::Error(fmt::format(
      "{}: no photo is left to train on, of {}; leave --eval out or add photos.",
      capture.folder.string(), plural(static_cast<int64_t>(capture.views.size()), "photo")));
}

}  // namespace

ReconstructRun::ReconstructRun(ReconstructOptions options, RunWords words, const RankPlace& place,
                               const InterruptGuard& interrupt)
    : options_(std::move(options)),
      words_(std::move(words)),
      layout_(output_layout(options_.output)),
      place_(place),
      interrupt_(interrupt),
      log_(options_.quiet, place.ranks.rank() != 0),
      pool_(options_.threads > 0 ? options_.threads : place.threads) {}

ReconstructRun::~ReconstructRun() = default;

void ReconstructRun::run() {
  if (!place_.text.empty()) log_.info("{}", place_.text);
  check_same_options(place_.ranks, words_.settings + layout_.folder.string());
  {
    const distributed::LongWork working(place_.ranks, "reading the capture");
    leader_first([&] { read_inputs(); });
    read_start();
    plan();
    open_photos();
  }
  make_trainer();
  if (leads()) {
    begin_output();  // nothing is written, or replaced, for a run that cannot begin
  } else {
    capture_.points = {};  // which only the rank that leads will write
  }
  place_.ranks.barrier("begin");
  say_what_was_understood();
  train();
}

// What is wrong for all ranks is told once: by the one that leads, before the others begin.
void ReconstructRun::leader_first(const std::function<void()>& part) {
  if (leads()) part();
  place_.ranks.barrier("leader first");
  if (!leads()) part();
}

void ReconstructRun::read_inputs() {
  if (options_.resume) {
    checkpoint_ = checkpoint_to_resume(layout_.checkpoints(), options_.resume_from);
    // parse_resumed() found the record; a run killed before its first checkpoint begins anew.
    if (!checkpoint_) log_.info("No checkpoint was written yet: the run begins anew.");
    if (checkpoint_) {
      options_.train = or_refuse_damaged(
          *checkpoint_, [&] { return resumed_settings(*checkpoint_, options_.train.iterations); });
    }
  } else {
    if (leads()) check_outputs();
  }
  if (leads()) {
    require_folder_of(options_.json_log, layout_);
    require_folder_of(options_.trace, layout_);
  }
  if (const std::string beyond = steps_beyond_the_end(options_); !beyond.empty()) {
    log_.warning("{}", beyond);
  }
  capture_ = assets::read_capture(options_.capture, capture_options(options_.photos));
  for (const std::string& warning : capture_.warnings) log_.warning("{}", warning);
  for (const std::string& note : capture_.notes) log_.info("{}", note);
  split_ = hold_out(capture_, options_.eval, options_.test_every.value_or(8));
  if (split_.train.empty()) refuse_no_photos(capture_);
}

void ReconstructRun::check_outputs() const {
  std::vector<std::filesystem::path> inputs;
  if (!options_.init_ply.empty()) inputs.push_back(options_.init_ply);
  if (!options_.photos.images.empty()) inputs.push_back(options_.photos.images);
  check_output(layout_, options_.force, options_.capture, inputs);
  inputs.push_back(capture_folder(options_.capture));
  refuse_inputs(options_.json_log, "--json-log", inputs, layout_.folder);
  refuse_inputs(options_.trace, "--trace", inputs, layout_.folder);
  require_writable(layout_);
}

std::vector<int> ReconstructRun::views_to_open() const {
  std::vector<int> views = split_.train;
  views.insert(views.end(), split_.test.begin(), split_.test.end());
  std::sort(views.begin(), views.end());
  return views;
}

// At the size they will be trained at, before any photo is decoded.
std::vector<core::PosedCamera> ReconstructRun::training_cameras() const {
  std::vector<core::PosedCamera> cameras;
  for (const int view : split_.train) {
    const core::CaptureView& taken = capture_.views[view];
    cameras.push_back(
        {photo_geometry(taken, photos_to_train_on(options_)).output, taken.cam_from_world});
  }
  return cameras;
}

void ReconstructRun::read_start() {
  if (checkpoint_) return;
  const int64_t default_points =
      models::default_random_points(models::gaussian_budget(options_.train, training_cameras(), 0));
  start_ = read_start_cloud(options_, capture_, default_points, place_.ranks, pool_);
  say_default_limit(start_, options_.train, training_cameras());
}

void ReconstructRun::plan() {
  const std::vector<int> views = views_to_open();
  const assets::PhotoPlan photos =
      assets::plan_photos(capture_, views, photos_to_train_on(options_));
  MemoryNeed need;
  need.decoded_photo_bytes = photos.decoded_bytes;
  need.least_photo_bytes = photos.minimum_bytes;
  need.pixels = largest_picture(capture_, views, options_);
  need.start_gaussians = checkpoint_ ? read_history(layout_.history(), INT64_MAX).last_gaussians()
                                     : std::max(start_.gaussians, start_.points_from_photos);
  need.max_gaussians = options_.train.max_gaussians;
  if (need.max_gaussians == 0 && options_.train.strategy == "mcmc") need.max_gaussians = 1'000'000;
  need.sh_degree = options_.train.sh_degree;
  need.resolution = options_.photos.resolution;
  need.resumed = checkpoint_.has_value();
  const int64_t budget =
      models::gaussian_budget(options_.train, training_cameras(), need.start_gaussians);
  need.grows = budget > need.start_gaussians;
  need.ranks = place_.ranks.size();
  if (need.ranks > 1) {
    need.views_at_once =
        static_cast<int>(std::min<int64_t>(options_.train.batch, options_.train.iterations));
  }
  // What is free differs from rank to rank; the plan must not.
  uint64_t free[] = {available_memory_bytes() / place_.on_machine,
                     address_space_left_bytes() / place_.in_process};
  place_.ranks.all_reduce("plan", distributed::Reduction::kMin, std::span<uint64_t>(free));
  leader_first([&] { memory_ = plan_memory(need, {options_.max_memory_bytes, free[0], free[1]}); });
  if (checkpoint_) return;
  options_.train.max_gaussians =
      memory_.max_gaussians > 0 ? std::min(memory_.max_gaussians, budget) : budget;
}

void ReconstructRun::open_photos() {
  assets::PhotoOptions options = photos_to_train_on(options_);
  options.cache_bytes = memory_.photo_bytes;
  assets::PhotoOpening opening =
      open_on_ranks(capture_, views_to_open(), options, place_.ranks, pool_, log_);
  leader_first([&] {
    photos_ = opening.finish();
    train_photos_ = places_of(capture_, split_.train, *photos_);
    test_photos_ = places_of(capture_, split_.test, *photos_);
    if (train_photos_.empty()) refuse_no_photos(capture_);
    leave_masked_out();
  });
  if (photos_->most_decoded() < photos_->count()) {
    log_.warning(
        "{} of {} stay decoded{}; the others are decoded again each time that they are drawn, "
        "which can take several times as long as a step: {}.",
        photos_->most_decoded() > 0 ? std::to_string(photos_->most_decoded()) : "None",
        plural(photos_->count(), "photo"), place_.ranks.size() > 1 ? " on each rank" : "",
        memory_.to_keep_all);
  }
}

void ReconstructRun::leave_masked_out() {
  const std::vector<std::string> train = take_masked_out(*photos_, train_photos_);
  if (train_photos_.empty()) {
    throw core::Error(masked_out_text(train, "training photo", "there are no others"));
  }
  if (!train.empty()) {
    log_.warning("{}", masked_out_text(train, "training photo", "left out"));
  }
  const std::vector<std::string> test = take_masked_out(*photos_, test_photos_);
  if (test.empty()) return;
  all_tests_masked_out_ = test_photos_.empty();
  log_.warning("{}", masked_out_text(test, "held-out photo",
                                     all_tests_masked_out_ ? "there are no others, so nothing is "
                                                             "measured"
                                                           : "left out of the figures"));
}

void ReconstructRun::make_trainer() {
  if (checkpoint_) {
    trainer_ = or_refuse_damaged(*checkpoint_, [&] {
      return std::make_unique<models::Trainer>(*checkpoint_, options_.train.iterations, *photos_,
                                               train_photos_, place_.ranks, pool_, log_);
    });
    history_ = read_history(layout_.history(), trainer_->images_seen());
    if (!history_.samples.empty()) seconds_before_ = history_.samples.back().seconds;
  } else {
    if (start_.points_from_photos > 0) {
      add_points_from_photos(start_, options_.train, *photos_, train_photos_, place_.ranks, pool_);
    }
    trainer_ = std::make_unique<models::Trainer>(options_.train, std::move(start_.cloud), *photos_,
                                                 train_photos_, place_.ranks, pool_, log_);
  }
  evaluator_ = std::make_unique<Evaluator>(trainer_->settings().rasterizer, place_.ranks, pool_);
}

void ReconstructRun::begin_output() {
  make_folders(layout_);
  lock_.emplace(layout_.folder);
  const int64_t planes = core::plane_count(options_.train.sh_degree);
  const int64_t gaussians = trainer_->gaussian_count();
  // Two checkpoints and the next being written, three sets of planes each; two scenes.
  require_space(layout_.folder, static_cast<uint64_t>(gaussians * planes * 4 * (3 * 3 + 2)),
                "the first checkpoints and scenes");
  if (!options_.json_log.empty()) log_.open_json(options_.json_log, options_.resume);
  if (!options_.trace.empty()) core::check_file_can_be_written(options_.trace);
  // After all that may still refuse: then the earlier run stays as it is.
  if (!options_.resume) set_aside_earlier_run(layout_);
  log_.open_text(layout_.log(), options_.resume);
  write_run_record(layout_.record(), words_.settings, words_.command, std::nullopt);
  begin_live();
}

void ReconstructRun::say_what_was_understood() {
  const models::TrainSettings& settings = trainer_->settings();
  log_.info("{}: {} of {} ({}{}), {}; {}; {} steps on {}", capture_.kind,
            plural(photos_->count(), "photo"), plural(distinct_cameras(capture_), "camera"),
            sizes_text(*photos_),
            test_photos_.empty() ? "" : fmt::format(", {} held out", test_photos_.size()),
            checkpoint_ ? fmt::format("{} resumed after step {}",
                                      plural(trainer_->gaussian_count(), "Gaussian"),
                                      count_text(trainer_->images_seen()))
                        : start_.text + start_.limit,
            memory_.text, count_text(settings.iterations),
            plural(pool_.thread_count(), "processor core") +
                (place_.ranks.size() > 1 ? " for each rank" : ""));
  log_.event("start", {{"capture", capture_.folder.string()},
                       {"kind", capture_.kind},
                       {"train_photos", static_cast<int64_t>(train_photos_.size())},
                       {"test_photos", static_cast<int64_t>(test_photos_.size())},
                       {"gaussians", trainer_->gaussian_count()},
                       {"step", trainer_->images_seen()},
                       {"iterations", settings.iterations},
                       {"planned_memory_bytes", static_cast<int64_t>(memory_.planned_bytes)},
                       {"threads", static_cast<int64_t>(pool_.thread_count())}});
}

core::GaussianScene ReconstructRun::scene_without_gaussians() const {
  core::GaussianScene scene;
  scene.cloud.sh_degree = trainer_->settings().sh_degree;
  scene.antialiased = trainer_->settings().antialiasing;
  const math::Vec3<double> origin = capture_.origin_in_file;
  scene.origin_in_file[0] = origin.x;
  scene.origin_in_file[1] = origin.y;
  scene.origin_in_file[2] = origin.z;
  std::vector<core::PosedCamera> cameras;
  cameras.reserve(photos_->count());
  for (int i = 0; i < photos_->count(); ++i) cameras.push_back(photos_->camera(i));
  scene.vertical_axis = vertical_axis_name(frame_from_cameras(cameras).up);
  return scene;
}

RunFigures ReconstructRun::figures() const {
  RunFigures figures;
  figures.steps = trainer_->images_seen();
  figures.gaussians = trainer_->gaussian_count();
  figures.training_seconds = seconds_before_ + training_seconds_;
  figures.wall_seconds = timer_.seconds();
  figures.processor_seconds = processor_seconds();
  figures.peak_memory_bytes = peak_memory_bytes();
  figures.train_photos = static_cast<int>(train_photos_.size());
  figures.test_photos = static_cast<int>(test_photos_.size());
  figures.eval = eval_;
  return figures;
}

}  // namespace tessera::apps
