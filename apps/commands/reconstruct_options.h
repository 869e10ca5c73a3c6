// What `tessera reconstruct` can be told: the trainer's settings and everything around them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands/photo_input.h"
#include "apps/commands/run_trace.h"
#include "core/options.h"
#include "models/gaussian/settings.h"

namespace tessera::apps {

struct ReconstructOptions {
  std::filesystem::path capture;
  std::filesystem::path output;
  PhotoInput photos;
  bool eval = false;
  std::optional<int> test_every;

  models::TrainSettings train;
  std::string device = "cpu";
  std::filesystem::path init_ply;

  uint64_t max_memory_bytes = 0;  // 0: what is free

  std::vector<int64_t> save_iterations;
  std::vector<int64_t> test_iterations;
  int64_t save_every = 0;

  bool resume = false;
  std::optional<int64_t> resume_from;
  bool force = false;
  bool quiet = false;
  bool profile = false;
  bool viewer = false;
  int threads = 0;
  int ranks = 0;  // 0: one, or those of the launcher that started the program
  std::filesystem::path json_log;
  std::filesystem::path trace;
  StepRange trace_steps;
};

// Binds every row of the command to `options`, which must outlive the table.
void bind_reconstruct_options(core::OptionTable& table, ReconstructOptions& options);

// How ranks divide a step and what they send each other: rows of `bind_reconstruct_options` that
// `plan` has too.
void bind_messages(core::OptionTable& table, models::TrainSettings& settings);

// Checks that need more than one option. Throws core::UsageError.
void check_reconstruct_options(ReconstructOptions& options);

// The sentence that names steps of --save-iterations and --test-iterations that the run will not
// reach; empty if there are none.
std::string steps_beyond_the_end(const ReconstructOptions& options);

// The settings as a run's record keeps them: all but how this one start was asked to behave
// (--resume, --force, --quiet and the like).
std::string recorded_settings(const core::OptionTable& table);

// A command that makes such a run from its beginning, in place of what stands in its output.
std::string command_for_same_run(const core::OptionTable& table);

// Parses a command line that says --resume: options that are not given keep what the run at
// `settings_file` had. Only those that do not change what is computed, and the total of steps, may
// differ. Throws core::UsageError naming an option that may not.
void parse_resumed(core::OptionTable& table, const std::vector<std::string>& arguments,
                   const std::filesystem::path& settings_file);

// "2GB", "800M", "1.5GiB" or plain bytes. Throws std::invalid_argument.
uint64_t parse_memory_size(const std::string& text);

// "on" or "off". Throws std::invalid_argument.
bool parse_switch(const std::string& text);

// "black", "white", "#rrggbb" or "r,g,b" of 0 to 1. Throws std::invalid_argument.
std::array<float, 3> parse_color(const std::string& text);
std::string color_text(const std::array<float, 3>& color);

}  // namespace tessera::apps
