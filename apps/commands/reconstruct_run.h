// One run of `tessera reconstruct`: photos opened, a start made or a checkpoint read, trained,
// saved, measured and reported. The steps stand in run() in their order.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apps/commands/evaluate.h"
#include "apps/commands/folder_lock.h"
#include "apps/commands/held_out.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/memory_plan.h"
#include "apps/commands/output_layout.h"
#include "apps/commands/rank_figures.h"
#include "apps/commands/rank_launch.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/reconstruct_start.h"
#include "apps/commands/run_log.h"
#include "apps/commands/run_record.h"
#include "apps/commands/run_trace.h"
#include "apps/live/detached_process.h"
#include "apps/live/live_server.h"
#include "assets/photos/photo_store.h"
#include "core/capture.h"
#include "core/thread_pool.h"
#include "core/timer.h"
#include "models/gaussian/train.h"

namespace tessera::apps {

// A run as its record and its report keep it.
struct RunWords {
  std::string settings;    // recorded_settings()
  std::string command;     // the line as typed
  std::string same_again;  // command_for_same_run()
};

class ReconstructRun {
 public:
  // One of each rank; the first leads: it alone speaks and writes. `place` and `interrupt` must
  // outlive it.
  ReconstructRun(ReconstructOptions options, RunWords words, const RankPlace& place,
                 const InterruptGuard& interrupt);
  ~ReconstructRun();

  // Throws core::Interrupted after saving if the user asks to stop.
  void run();

 private:
  bool leads() const { return place_.ranks.rank() == 0; }

  // Before the first step.
  void leader_first(const std::function<void()>& part);
  void read_inputs();
  void check_outputs() const;
  void read_start();
  void plan();
  std::vector<int> views_to_open() const;
  std::vector<core::PosedCamera> training_cameras() const;
  void open_photos();
  void leave_masked_out();
  void make_trainer();
  void begin_output();
  void say_what_was_understood();

  // The steps.
  models::TrainHooks hooks();
  void on_step(const models::TrainProgress& progress);
  void train();
  void save_scene();
  void write_scene_files(int64_t step);
  void write_scene(const std::filesystem::path& path, const core::GaussianScene& scene);
  void save_scene_after_fault();
  void write_files_for_viewers() const;
  void measure_now();

  // Between them, by the wish of those who watch.
  void begin_live();
  void show(LivePhase phase);
  bool stop_wished() const;
  models::TrainWishes wishes();
  void look_after_viewer();
  void meet(int64_t wished);
  void give_snapshot(int sh_degree);
  void gather_live_figures();
  void save_as_wished();

  // After the last.
  void finish(bool stopped);
  void write_trace();
  bool measure_at_end();
  [[noreturn]] void stop();
  void write_report();
  void say_figures();
  void say_profile();

  core::GaussianScene scene_without_gaussians() const;
  RunFigures figures() const;
  core::Trace* trace() { return trace_ ? &trace_->events() : nullptr; }

  ReconstructOptions options_;
  RunWords words_;
  OutputLayout layout_;
  std::optional<FolderLock> lock_;
  core::Timer timer_;
  const RankPlace& place_;
  const InterruptGuard& interrupt_;
  RunLog log_;
  core::ThreadPool pool_;

  std::optional<std::filesystem::path> checkpoint_;  // that the run goes on from
  core::Capture capture_;
  StartCloud start_;
  MemoryPlan memory_;
  std::unique_ptr<assets::PhotoStore> photos_;
  HeldOut split_;                                // indices into capture_.views
  std::vector<int> train_photos_, test_photos_;  // indices into photos_
  bool all_tests_masked_out_ = false;
  std::unique_ptr<models::Trainer> trainer_;
  std::unique_ptr<Evaluator> evaluator_;

  History history_;
  double seconds_before_ = 0;  // training time of earlier starts
  double loss_sum_ = 0;        // since the last sample of the history
  int64_t loss_count_ = 0;
  double shown_loss_ = 0;
  std::vector<int> curve_views_;  // held-out photos behind the curve of PSNR
  double training_seconds_ = 0;
  int64_t saved_at_ = -1;
  std::unique_ptr<Progress> progress_;
  std::optional<EvalFigures> eval_;
  std::optional<RankFigures> rank_figures_;
  std::optional<RunTrace> trace_;

  std::unique_ptr<LiveServer> live_;       // of the rank that leads
  std::optional<DetachedProcess> viewer_;  // likewise, while it is open
  bool pauses_ = false;
  double waited_before_ = 0;  // for messages, until the first step
};

}  // namespace tessera::apps
