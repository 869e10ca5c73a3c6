// SPDX-License-Identifier: MIT
#include "apps/commands/resume_point.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/gaussian/checkpoint.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

bool is_whole(const fs::path& checkpoint) {
  try {
    models::read_checkpoint(checkpoint);
    return true;
  } catch (const core::Error&) {
    return false;
  }
}

}  // namespace

std::optional<fs::path> checkpoint_to_resume(const fs::path& folder, std::optional<int64_t> step) {
  const std::vector<fs::path> all = models::checkpoints_in(folder);
  if (!step) return all.empty() ? std::nullopt : std::optional(all.front());
  std::vector<int64_t> steps;
  for (const fs::path& checkpoint : all) {
    steps.push_back(models::checkpoint_step(checkpoint));
    if (steps.back() == *step) return checkpoint;
  }
  throw core::UsageError(
      "--resume-from",
      fmt::format("there is no checkpoint of step {} in {}; {}", *step, folder.string(),
                  steps.empty() ? "there is none at all"
                                : fmt::format("there are those of {}", fmt::join(steps, ", "))));
}

void refuse_damaged(const core::IoError& fault, const fs::path& checkpoint) {
  std::string instead = "there is no other whole one, so start again with --force";
  for (const fs::path& other : models::checkpoints_in(checkpoint.parent_path())) {
    if (other == checkpoint || !is_whole(other)) continue;
    const int64_t step = models::checkpoint_step(other);
    instead = fmt::format("{} is whole: --resume-from {} goes on from there",
                          other.filename().string(), step);
    break;
  }
  const std::string prefix = fault.path().string() + ": ";
  std::string what = fault.what();
  if (what.starts_with(prefix)) what.erase(0, prefix.size());
  if (what.ends_with('.')) what.pop_back();
  throw core::IoError(fault.path(), fmt::format("{}; {}", what, instead));
}

}  // namespace tessera::apps
