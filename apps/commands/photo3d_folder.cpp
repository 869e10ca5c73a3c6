// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_folder.h"

#include <fmt/format.h>

#include <iterator>

#include "core/error.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// All that a run may write. The record goes first and comes last: without it what is there is no
// run.
constexpr const char* kRecord = "photo3d.json";
constexpr const char* kOwn[] = {kRecord,      "scene.tmpi",   "view.html", "report.html", "log.txt",
                                "stereo.jpg", "anaglyph.jpg", "depth.png", "film.mp4"};
constexpr const char* kUnfinished = ".photo3d";

}  // namespace

void check_photo3d_folder(const fs::path& folder) {
  if (fs::exists(folder / kRecord) || fs::exists(folder / kUnfinished)) return;
  for (const char* name : kOwn) {
    if (!fs::exists(folder / name)) continue;
    throw core::UsageError("--output", fmt::format("{} is of no run of photo3d and would be "
                                                   "replaced; name another folder",
                                                   (folder / name).string()));
  }
}

Photo3dFolder::Photo3dFolder(const fs::path& folder)
    : folder_(folder.has_filename() ? folder : folder.parent_path()) {
  is_new_ = fs::create_directories(folder_);
  unfinished_.emplace(folder_ / kUnfinished);
}

Photo3dFolder::~Photo3dFolder() {
  unfinished_.reset();
  std::error_code ignored;
  if (is_new_) fs::remove(folder_, ignored);  // if it is empty
}

void Photo3dFolder::commit() {
  unfinished_->commit();
  for (const char* name : kOwn) fs::remove_all(folder_ / name);
  const fs::path written = folder_ / kUnfinished;
  for (auto name = std::rbegin(kOwn); name != std::rend(kOwn); ++name) {
    if (fs::exists(written / *name)) fs::rename(written / *name, folder_ / *name);
  }
  fs::remove(written);
}

}  // namespace tessera::apps
