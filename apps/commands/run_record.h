// The record of a run beside its result: run.json (settings, versions, machine, figures), which
// --config and --resume read back, and history.json (the curves).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands/evaluate.h"

namespace tessera::apps {

struct History {
  struct Sample {
    int64_t step = 0;
    double loss = 0;  // mean since the last sample
    int64_t gaussians = 0;
    double seconds = 0;  // of training, all starts of the run together
  };
  struct Test {
    int64_t step = 0;
    double psnr = 0;
    double ssim = 0;
  };
  std::vector<Sample> samples;
  std::vector<Test> tests;

  int64_t last_gaussians() const { return samples.empty() ? 0 : samples.back().gaussians; }
};

void write_history(const std::filesystem::path& path, const History& history);
// What was before `step`: later samples belong to steps that a killed run lost. Empty if there is
// no such file. Throws core::IoError if it is broken.
History read_history(const std::filesystem::path& path, int64_t step);

// What is known of a run when it ends.
struct RunFigures {
  int64_t steps = 0;
  int64_t gaussians = 0;
  double training_seconds = 0;   // all starts together
  double wall_seconds = 0;       // of this start, reading and measuring included
  double processor_seconds = 0;  // of this start
  uint64_t peak_memory_bytes = 0;
  int train_photos = 0;
  int test_photos = 0;
  std::optional<EvalFigures> eval;
};

// `settings` is a JSON object; `command` the command line as typed. Written without figures when a
// run starts and again with them when it ends.
void write_run_record(const std::filesystem::path& path, const std::string& settings,
                      const std::string& command, const std::optional<RunFigures>& figures);

// results.json and per_view.json in the shape that scripts for the original implementation read:
// {"ours_N": {"PSNR": ..., "SSIM": ...}}.
void write_results(const std::filesystem::path& folder, int64_t steps, const EvalFigures& eval);

}  // namespace tessera::apps
