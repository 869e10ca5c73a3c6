// SPDX-License-Identifier: MIT
#include "apps/commands/replaced_run.h"

#include <fmt/format.h>

#include "models/gaussian/checkpoint.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// The record goes first: without it --resume takes what is left for no run, should this be cut
// short. What belongs to the scene file in use is not among them.
constexpr const char* kMoved[] = {"run.json",    "checkpoints", "history.json", "log.txt",
                                  "point_cloud", "report.html", "results.json", "per_view.json"};

fs::path nth_replaced_run(const OutputLayout& layout, size_t n) {
  return layout.folder / (n == 1 ? "replaced_run" : fmt::format("replaced_run_{}", n));
}

}  // namespace

std::vector<fs::path> replaced_runs(const OutputLayout& layout) {
  std::vector<fs::path> folders;
  for (size_t n = 1; fs::is_directory(nth_replaced_run(layout, n)); ++n) {
    folders.push_back(nth_replaced_run(layout, n));
  }
  return folders;
}

void set_aside_earlier_run(const OutputLayout& layout) {
  const bool saved_something = models::latest_checkpoint(layout.checkpoints()).has_value() ||
                               fs::exists(layout.folder / "point_cloud") ||
                               fs::exists(layout.report());
  if (!saved_something) {
    for (const char* name : kMoved) fs::remove_all(layout.folder / name);
    return;
  }
  const fs::path aside = nth_replaced_run(layout, replaced_runs(layout).size() + 1);
  fs::create_directory(aside);
  for (const char* name : kMoved) {
    if (fs::exists(layout.folder / name)) fs::rename(layout.folder / name, aside / name);
  }
}

void remove_replaced_runs(const OutputLayout& layout) {
  // The last first, so that those that are left stay in a row.
  const std::vector<fs::path> folders = replaced_runs(layout);
  for (size_t n = folders.size(); n > 0; --n) fs::remove_all(folders[n - 1]);
}

}  // namespace tessera::apps
