// One run at a time in an output folder.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tessera::apps {

// Holds the folder until it is destroyed or the process ends, however it ends. Leaves no file.
class FolderLock {
 public:
  // Throws core::UsageError for --output if another process holds the folder. File systems that
  // know no locks hold nobody off.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace tessera::apps
