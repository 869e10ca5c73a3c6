// The folder of all that photo3d makes. It is written inside the folder under a name of its own and
// then takes its place, so that neither a full disk nor a stop leaves a part of it or a mixture of
// two runs; what others put there stays. A run that is killed while its files take their place is
// put there by the next one; one that is killed before leaves what the next one removes.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "apps/commands/folder_lock.h"
#include "core/file_io.h"

namespace tessera::apps {

// If a run was killed while its files, which are all there, took their place: puts the rest there,
// and is true.
bool finish_photo3d_folder(const std::filesystem::path& folder);

// Whether the folder holds what a killed run had begun to write and nothing else: as good as empty.
// Throws core::UsageError if a run writes it now.
bool holds_killed_photo3d(const std::filesystem::path& folder);

// Throws core::UsageError if something else stands where a file of the run would.
void check_photo3d_folder(const std::filesystem::path& folder);

class Photo3dFolder {
 public:
  // Removes what a killed run had begun. Throws core::UsageError if another run writes it now.
  explicit Photo3dFolder(const std::filesystem::path& folder);
  ~Photo3dFolder();
  Photo3dFolder(const Photo3dFolder&) = delete;
  Photo3dFolder& operator=(const Photo3dFolder&) = delete;

  // Where files are written until commit().
  const std::filesystem::path& path() const { return unfinished_->path(); }
  // They take the place of an earlier run's files.
  void commit();

 private:
  std::filesystem::path folder_;
  bool is_new_ = false;  // nobody had made it
  std::optional<FolderLock> lock_;
  std::optional<core::AtomicFolder> unfinished_;
};

}  // namespace tessera::apps
