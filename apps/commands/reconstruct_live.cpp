// A run as those see it who watch and steer it while it trains.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>
#include <utility>

#include "apps/commands/reconstruct_run.h"
#include "apps/live/live_request.h"
#include "apps/live/live_snapshot.h"
#include "core/error.h"
#include "core/timer.h"

namespace tessera::apps {
// A folder whose file system knows no sockets is trained in all the same.
void ReconstructRun::begin_live() {
  try {
    live_ = std::make_unique<LiveServer>(layout_.folder);
    if (options_.viewer) {
      // Not to where we print: a launcher of ranks waits until all have closed that.
      viewer_.emplace(std::vector<std::string>{program_beside(kViewerProgram).string(), "--attach",
                                               std::filesystem::absolute(options_.output).string()},
                      layout_.console());
    }
  } catch (const core::IoError& error) {
    log_.info("This run cannot be watched live: {}", error.what());
    if (!live_) return;
  }
  live_->step_done(
      {trainer_->images_seen(), trainer_->settings().iterations, trainer_->gaussian_count(), 0, 0},
      seconds_before_);
  live_->extend_curves(history_);
  if (place_.ranks.size() > 1) live_->set_ranks(std::vector<LiveRank>(place_.ranks.size()));
}

void ReconstructRun::show(LivePhase phase) {
  if (live_) live_->set_phase(phase);
}

bool ReconstructRun::stop_wished() const {
  return interrupt_.requested() || (live_ && live_->stop_wished());
}

models::TrainWishes ReconstructRun::wishes() {
  models::TrainWishes wishes = live_ ? live_->wishes() : models::TrainWishes{};
  wishes.stop = wishes.stop || interrupt_.requested();
  if (std::exchange(pauses_, wishes.pause) != wishes.pause) {
    log_.info("{} after step {}", wishes.pause ? "Paused" : "Going on",
              count_text(trainer_->images_seen()));
  }
  if (viewer_ && viewer_->exit_code()) look_after_viewer();
  return wishes;
}

void ReconstructRun::look_after_viewer() {
  if (*viewer_->exit_code() != 0) {
    log_.warning("{} ended by exit code {}; what it said is in {}, and the run goes on",
                 kViewerProgram, *viewer_->exit_code(), layout_.console().string());
  }
  viewer_.reset();
}

// Collective.
void ReconstructRun::meet(int64_t wished) {
  const LiveRequest request = unpacked(wished);
  if (request.snapshot_degree >= 0) give_snapshot(request.snapshot_degree);
  if (request.figures && place_.ranks.size() > 1) gather_live_figures();
  if (request.save) save_as_wished();
}

void ReconstructRun::give_snapshot(int sh_degree) {
  const core::TraceSpan span(trace(), "live view");
  const core::Timer timer;
  std::shared_ptr<LiveSnapshot> snapshot;
  if (leads()) {
    snapshot = live_->spare_snapshot();
  } else {
    snapshot = std::make_shared<LiveSnapshot>();
  }
  gather_snapshot(place_.ranks, trainer_->cloud(), sh_degree, *snapshot);
  if (!leads()) return;
  LiveSnapshotHeader& header = snapshot->header;
  header.step = trainer_->images_seen();
  const core::GaussianScene scene = scene_without_gaussians();
  header.antialiased = scene.antialiased ? 1 : 0;
  std::copy(std::begin(scene.origin_in_file), std::end(scene.origin_in_file),
            std::begin(header.origin_in_file));
  std::fill(std::begin(header.vertical_axis), std::end(header.vertical_axis), '\0');
  const size_t letters = std::min(scene.vertical_axis.size(), sizeof(header.vertical_axis) - 1);
  std::copy_n(scene.vertical_axis.begin(), letters, std::begin(header.vertical_axis));
  live_->give(std::move(snapshot), timer.seconds());
}

void ReconstructRun::gather_live_figures() {
  LiveRank own;
  for (const distributed::Traffic& row : place_.ranks.traffic()) {
    own.bytes_sent += row.bytes_sent;
    if (row.tag != "wishes") own.waited_s += row.waited_s;  // where pauses are waited for
  }
  own.waited_s -= waited_before_;
  own.worked_s = std::max(0.0, training_seconds_ - own.waited_s);
  own.gaussians = trainer_->cloud().size();
  std::vector<LiveRank> all = place_.ranks.all_gather("live view", own);
  if (leads()) live_->set_ranks(std::move(all));
}

// As after the last step, which saves by itself.
void ReconstructRun::save_as_wished() {
  if (trainer_->images_seen() == trainer_->settings().iterations) return;
  if (leads()) write_history(layout_.history(), history_);
  save_scene();
  show(LivePhase::kSaving);
  trainer_->save_checkpoint(layout_.checkpoints());
  show(LivePhase::kTraining);
  if (live_) live_->wishes_to_save_met();
}

}  // namespace tessera::apps
