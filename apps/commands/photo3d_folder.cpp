// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "core/error.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// All that a run may write. The record is the last that goes and the last that comes, so it tells
// whose the other files are.
constexpr const char* kRecord = "photo3d.json";
constexpr const char* kOwn[] = {kRecord,      "scene.tmpi",   "view.html", "report.html", "log.txt",
                                "stereo.jpg", "anaglyph.jpg", "depth.png", "film.mp4"};
constexpr const char* kUnfinished = ".photo3d";

// A file of a run, or what core::AtomicFile or core::AtomicFolder had begun of it.
bool is_own(const fs::path& name) {
  const fs::path whole = name.extension() == ".tmp" ? name.stem() : name;
  return std::find(std::begin(kOwn), std::end(kOwn), whole) != std::end(kOwn);
}

// Whatever was done of it before.
void put_in_place(const fs::path& folder) {
  const fs::path written = folder / kUnfinished;
  if (fs::exists(written / kRecord)) {
    if (fs::exists(folder / kRecord)) {  // an earlier run's, and so is all else there
      for (auto name = std::rbegin(kOwn); name != std::rend(kOwn); ++name) {
        fs::remove_all(folder / *name);
      }
    }
    for (auto name = std::rbegin(kOwn); name != std::rend(kOwn); ++name) {
      if (fs::exists(written / *name)) fs::rename(written / *name, folder / *name);
    }
  }
  fs::remove(written);
}

}  // namespace

bool finish_photo3d_folder(const fs::path& folder) {
  const fs::path written = folder / kUnfinished;
  if (!fs::is_directory(written)) return false;
  if (!fs::exists(written / kRecord) && !fs::is_empty(written)) return false;  // not of a run
  put_in_place(folder);
  return true;
}

bool holds_killed_photo3d(const fs::path& folder) {
  const fs::path begun = core::AtomicFolder::unfinished(folder / kUnfinished);
  if (!fs::is_directory(begun)) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != begun.filename()) return false;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(begun)) {
    if (!is_own(entry.path().filename())) return false;
  }
  const FolderLock nobody_writes(folder);
  return true;
}

void check_photo3d_folder(const fs::path& folder) {
  if (fs::exists(folder / kRecord)) return;
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
  lock_.emplace(folder_);
  unfinished_.emplace(folder_ / kUnfinished);
}

Photo3dFolder::~Photo3dFolder() {
  unfinished_.reset();
  std::error_code ignored;
  if (is_new_) fs::remove(folder_, ignored);  // if it is empty
}

void Photo3dFolder::commit() {
  unfinished_->commit();
  put_in_place(folder_);
}

}  // namespace tessera::apps
