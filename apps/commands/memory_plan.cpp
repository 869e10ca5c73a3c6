// SPDX-License-Identifier: MIT
#include "apps/commands/memory_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "apps/commands/progress.h"
#include "core/error.h"
#include "core/gaussian_cloud.h"

namespace tessera::apps {
namespace {

constexpr int64_t kProgramBytes = 30'000'000;  // the program, its libraries, threads' stacks
// Render, gradients and SSIM's windows.
constexpr int64_t kBytesPerPixel = 160;

// A scene of fewer is none.
constexpr int64_t kFewestGaussians = 1000;

[[noreturn]] void refuse(int64_t needed, uint64_t limit, bool is_budget,
                         const std::string& advice) {
  throw core::Error(fmt::format("This run needs {} of memory before its first step, and {} {}; {}.",
                                bytes_text(static_cast<double>(needed)),
                                bytes_text(static_cast<double>(limit)),
                                is_budget ? "are allowed by --max-memory" : "are free", advice));
}

// What of the user's choices would make the run fit into `room`; raising the limit, if none would.
std::string advice(const MemoryNeed& need, int64_t room, int64_t needed, bool is_budget) {
  const int64_t each = bytes_per_gaussian(need.sh_degree);
  const int64_t gaussians = std::max(need.start_gaussians, need.max_gaussians);
  const int64_t pictures = kBytesPerPixel * need.pixels + need.least_photo_bytes;
  std::vector<std::string> choices;
  if (!need.resumed) {
    for (int factor = 2; need.resolution * factor <= 8 && choices.empty(); factor *= 2) {
      if (kProgramBytes + pictures / (factor * factor) + each * gaussians > room) continue;
      choices.push_back(fmt::format("smaller photos (-r {})", need.resolution * factor));
    }
    const int64_t fitting = (room - kProgramBytes - pictures) / each;
    if (fitting >= kFewestGaussians) choices.push_back(fmt::format("--max-gaussians {}", fitting));
  }
  if (choices.empty() && is_budget) {
    choices.push_back(fmt::format("--max-memory {}MB", (needed + 999'999) / 1'000'000));
  }
  if (choices.empty()) return "close other programs, or use a machine with more";
  return fmt::format("{} would fit", fmt::join(choices, " or "));
}

}  // namespace

int64_t bytes_per_gaussian(int sh_degree) {
  const int64_t planes = core::plane_count(sh_degree) * static_cast<int64_t>(sizeof(float));
  constexpr int64_t kProjected = 160;  // what a render keeps of a visible one, and its tiles
  constexpr int64_t kStatistics = 48;  // of densification, ids, radii
  return 7 * planes + kProjected + kStatistics;
}

MemoryPlan plan_memory(const MemoryNeed& need, uint64_t budget_bytes, uint64_t available_bytes) {
  const bool is_budget = budget_bytes > 0 && budget_bytes <= available_bytes;
  const uint64_t limit =
      budget_bytes > 0 ? std::min(budget_bytes, available_bytes) : available_bytes;
  const auto room = static_cast<int64_t>(std::min<uint64_t>(limit, INT64_MAX));
  const int64_t each = bytes_per_gaussian(need.sh_degree);
  const int64_t fixed = kProgramBytes + kBytesPerPixel * need.pixels;
  const int64_t gaussians = std::max(need.start_gaussians, need.max_gaussians);
  const int64_t least = fixed + need.least_photo_bytes + each * gaussians;
  if (least > room) {
    refuse(least, limit, is_budget, advice(need, room, least, is_budget));
  }
  MemoryPlan plan;
  plan.max_gaussians = need.max_gaussians;
  // Without a cap, growth gets at least half of what photos leave; photos may be decoded anew.
  const int64_t for_photos = need.max_gaussians > 0 || budget_bytes == 0
                                 ? room - fixed - each * gaussians
                                 : (room - fixed - each * gaussians) / 2;
  plan.photo_bytes = std::clamp(for_photos, need.least_photo_bytes,
                                std::max(need.decoded_photo_bytes, need.least_photo_bytes));
  if (budget_bytes > 0 && need.max_gaussians == 0) {
    plan.max_gaussians = (room - fixed - plan.photo_bytes) / each;
  }
  const int64_t counted = plan.max_gaussians > 0 ? plan.max_gaussians : need.start_gaussians;
  plan.planned_bytes = static_cast<uint64_t>(fixed + plan.photo_bytes + each * counted);
  plan.text = fmt::format(
      "{} of memory (program and pictures {}, photos {}{}, {} {} {}",
      bytes_text(static_cast<double>(plan.planned_bytes)), bytes_text(static_cast<double>(fixed)),
      bytes_text(static_cast<double>(plan.photo_bytes)),
      plan.photo_bytes < need.decoded_photo_bytes ? " with the rest decoded as needed" : "",
      plan.max_gaussians > 0 ? "up to" : "the first", plural(counted, "Gaussian"),
      bytes_text(static_cast<double>(each * counted)));
  if (plan.max_gaussians == 0 && need.grows) {
    plan.text += fmt::format("; {} for each million more", bytes_text(1e6 * each));
  }
  plan.text += ")";
  return plan;
}

}  // namespace tessera::apps
