// SPDX-License-Identifier: MIT
#include "apps/commands/memory_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "apps/commands/progress.h"
#include "core/error.h"
#include "core/gaussian_cloud.h"

namespace tessera::apps {
namespace {

// Render, gradients and SSIM's windows.
constexpr int64_t kBytesPerPixel = 160;

constexpr int kMostRanksAdvised = 16;  // any machine takes so many

// A scene of fewer is none.
constexpr int64_t kFewestGaussians = 1000;

// The largest share of `gaussians` that a rank is to have.
int64_t rank_share(int64_t gaussians, int ranks) {
  return (gaussians + ranks - 1) / ranks;
}

const char* on_each_rank(int ranks) {
  return ranks > 1 ? " on each rank" : "";
}

[[noreturn]] void refuse(int64_t needed, int ranks, const MemoryRoom& room,
                         const std::string& advice) {
  throw core::Error(fmt::format("This run needs {} of memory{} before its first step, and {}; {}.",
                                bytes_text(static_cast<double>(needed)), on_each_rank(ranks),
                                room.text, advice));
}

// The fewest ranks, doubling, of which each would have a share of at most `fitting` Gaussians.
std::optional<int> ranks_that_fit(int64_t gaussians, int64_t fitting, int ranks) {
  for (ranks *= 2; ranks <= kMostRanksAdvised; ranks *= 2) {
    if (rank_share(gaussians, ranks) <= fitting) return ranks;
  }
  return std::nullopt;
}

// What of the user's choices would make the run fit into `room`; raising the limit, if none would.
std::string advice(const MemoryNeed& need, const MemoryRoom& limit, int64_t needed) {
  const int64_t room = limit.bytes;
  const int64_t each = bytes_per_gaussian(need.sh_degree, need.views_at_once);
  const int64_t of_all = std::max(need.start_gaussians, need.max_gaussians);
  const int64_t gaussians = rank_share(of_all, need.ranks);
  const int64_t pictures = kBytesPerPixel * need.pixels + need.least_photo_bytes;
  std::vector<std::string> choices;
  const int64_t fitting = (room - kProgramBytes - pictures) / each;
  if (!need.resumed) {
    for (int factor = 2; need.resolution * factor <= 8 && choices.empty(); factor *= 2) {
      if (kProgramBytes + pictures / (factor * factor) + each * gaussians > room) continue;
      choices.push_back(fmt::format("smaller photos (-r {})", need.resolution * factor));
    }
    if (fitting * need.ranks >= kFewestGaussians) {
      choices.push_back(fmt::format("--max-gaussians {}", fitting * need.ranks));
    }
  }
  // What is free on a machine, all its ranks share.
  const std::optional<int> ranks = ranks_that_fit(of_all, fitting, need.ranks);
  if (ranks && limit.bound == MemoryBound::kProcess) {
    choices.push_back(fmt::format("--ranks {}", *ranks));
  }
  return memory_advice(std::move(choices), needed, limit.bound);
}

// `least_room` is what all photos decoded and the start need.
std::string to_keep_all(int64_t least_room, const MemoryLimits& limits, int ranks) {
  const auto megabytes = (least_room + 999'999) / 1'000'000;
  const uint64_t there = std::min(limits.machine_bytes, limits.process_bytes);
  if (limits.budget_bytes > 0 && static_cast<uint64_t>(1'000'000 * megabytes) <= there) {
    return fmt::format("--max-memory {}MB would keep all", megabytes);
  }
  return fmt::format("to keep all takes {} of memory{}, smaller photos (-r) less",
                     bytes_text(static_cast<double>(least_room)), on_each_rank(ranks));
}

}  // namespace

MemoryRoom room_within(const MemoryLimits& limits) {
  uint64_t bytes = std::min(limits.machine_bytes, limits.process_bytes);
  MemoryBound bound = MemoryBound::kMachine;
  const char* text = "are free";
  if (limits.process_bytes < limits.machine_bytes) {
    bound = MemoryBound::kProcess;
    text = "are left by its process's limit (ulimit -v)";
  }
  if (limits.budget_bytes > 0 && limits.budget_bytes <= bytes) {
    bytes = limits.budget_bytes;
    bound = MemoryBound::kBudget;
    text = "are allowed by --max-memory";
  }
  return {static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)), bound,
          fmt::format("{} {}", bytes_text(static_cast<double>(bytes)), text)};
}

std::string memory_advice(std::vector<std::string> choices, int64_t needed, MemoryBound bound) {
  if (choices.empty() && bound == MemoryBound::kBudget) {
    choices.push_back(fmt::format("--max-memory {}MB", (needed + 999'999) / 1'000'000));
  }
  if (choices.empty() && bound == MemoryBound::kProcess) return "raise that limit";
  if (choices.empty()) return "close other programs, or use a machine with more";
  return fmt::format("{} would fit", fmt::join(choices, " or "));
}

int64_t bytes_per_gaussian(int sh_degree, int views_at_once) {
  const int64_t planes = core::plane_count(sh_degree) * static_cast<int64_t>(sizeof(float));
  constexpr int64_t kProjected = 160;  // what a render keeps of a visible one, and its tiles
  constexpr int64_t kStatistics = 48;  // of densification, ids, radii
  return 7 * planes + views_at_once * kProjected + kStatistics;
}

MemoryPlan plan_memory(const MemoryNeed& need, const MemoryLimits& limits) {
  const bool has_budget = limits.budget_bytes > 0;
  const MemoryRoom limit = room_within(limits);
  const int64_t room = limit.bytes;
  const int64_t each = bytes_per_gaussian(need.sh_degree, need.views_at_once);
  const int64_t fixed = kProgramBytes + kBytesPerPixel * need.pixels;
  const int64_t gaussians =
      rank_share(std::max(need.start_gaussians, need.max_gaussians), need.ranks);
  const int64_t least = fixed + need.least_photo_bytes + each * gaussians;
  if (least > room) {
    refuse(least, need.ranks, limit, advice(need, limit, least));
  }
  MemoryPlan plan;
  plan.max_gaussians = need.max_gaussians;
  // Without a cap, growth gets at least half of what photos leave; photos may be decoded anew.
  const int64_t parts = need.max_gaussians > 0 || !has_budget ? 1 : 2;
  const int64_t for_photos = (room - fixed - each * gaussians) / parts;
  plan.photo_bytes = std::clamp(for_photos, need.least_photo_bytes,
                                std::max(need.decoded_photo_bytes, need.least_photo_bytes));
  if (plan.photo_bytes < need.decoded_photo_bytes) {
    plan.to_keep_all = to_keep_all(fixed + each * gaussians + parts * need.decoded_photo_bytes,
                                   limits, need.ranks);
  }
  if (has_budget && need.max_gaussians == 0) {
    plan.max_gaussians = (room - fixed - plan.photo_bytes) / each * need.ranks;
  }
  const int64_t counted = plan.max_gaussians > 0 ? plan.max_gaussians : need.start_gaussians;
  const int64_t gaussian_bytes = each * rank_share(counted, need.ranks);
  plan.planned_bytes = static_cast<uint64_t>(fixed + plan.photo_bytes + gaussian_bytes);
  plan.text = fmt::format(
      "{} of memory{} (program and pictures {}, photos {}{}{}, {}{} {} {}",
      bytes_text(static_cast<double>(plan.planned_bytes)), on_each_rank(need.ranks),
      bytes_text(static_cast<double>(fixed)), need.ranks > 1 ? "up to " : "",
      bytes_text(static_cast<double>(plan.photo_bytes)),
      plan.photo_bytes < need.decoded_photo_bytes ? " with the rest decoded as needed" : "",
      need.ranks > 1 ? fmt::format("1/{} of ", need.ranks) : "",
      plan.max_gaussians > 0 ? "up to" : "the first", plural(counted, "Gaussian"),
      bytes_text(static_cast<double>(gaussian_bytes)));
  if (plan.max_gaussians == 0 && need.grows) {
    plan.text += fmt::format("; {} for each million more",
                             bytes_text(1e6 * static_cast<double>(each) / need.ranks));
  }
  plan.text += ")";
  return plan;
}

}  // namespace tessera::apps
