// `tessera reconstruct`: a capture to a Gaussian scene.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>

#include "apps/command_table.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/output_layout.h"
#include "apps/commands/rank_launch.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/reconstruct_run.h"
#include "apps/commands/shell_words.h"
#include "apps/program.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

constexpr const char* kName = "tessera reconstruct";
constexpr const char* kSummary = "Trains a Gaussian scene on photos with known poses.";
constexpr const char* kExample = "tessera reconstruct photos/banana -o out/banana -r 2 --eval";

[[noreturn]] void refuse_ply(const std::filesystem::path& path) {
  throw core::UsageError(
      "--resume",
      fmt::format("{} is a scene, which has no optimizer state to go on with; start a new run from "
                  "it with --init-ply",
                  path.string()));
}

// The record of the run that --resume goes on with. Throws core::UsageError if there is none.
std::filesystem::path record_to_resume(const ReconstructOptions& given) {
  if (std::filesystem::is_regular_file(given.capture)) {
    const std::string extension = given.capture.extension().string();
    if (extension == ".ply" || extension == ".splat" || extension == ".spz") {
      refuse_ply(given.capture);
    }
  }
  const OutputLayout layout = output_layout(given.output);
  if (!std::filesystem::exists(layout.record())) {
    if (std::filesystem::exists(layout.scene)) refuse_ply(layout.scene);
    throw core::UsageError("--resume",
                           fmt::format("{} holds no run (it has no run.json); name the folder that "
                                       "-o named when the run was started",
                                       layout.folder.string()));
  }
  return layout.record();
}

}  // namespace

int run_reconstruct(const std::vector<std::string>& arguments) {
  ReconstructOptions options;
  core::OptionTable table(kName, kSummary, kExample);
  bind_reconstruct_options(table, options);
  // With --resume the capture need not be named again: a first reading finds out.
  ReconstructOptions given;
  core::OptionTable first(kName, kSummary, kExample);
  bind_reconstruct_options(first, given);
  if (first.parse(arguments)) {
    std::fputs(table.parse(arguments)->c_str(), stdout);
    return kExitDone;
  }
  if (given.resume || given.resume_from) {
    parse_resumed(table, arguments, record_to_resume(given));
  } else {
    table.parse(arguments);
  }
  check_reconstruct_options(options);
  // The record is read from other folders too.
  for (std::filesystem::path* path :
       {&options.capture, &options.photos.images, &options.init_ply}) {
    if (!path->empty()) *path = std::filesystem::absolute(*path).lexically_normal();
  }
  const RunWords words = {recorded_settings(table), shell_line(kName, arguments),
                          command_for_same_run(table)};
  std::vector<std::string> command = {"reconstruct"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const InterruptGuard interrupt;
  return run_on_ranks(options.ranks, command, interrupt, [&](const RankPlace& place) {
    ReconstructRun(options, words, place, interrupt).run();
  });
}

}  // namespace tessera::apps
