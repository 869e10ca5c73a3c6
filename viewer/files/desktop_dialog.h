// The desktop's own file dialog: zenity or kdialog in a process of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "viewer/files/file_wish.h"

namespace tessera::viewer {

class DesktopDialog {
 public:
  // Null if neither program can be started.
  static std::unique_ptr<DesktopDialog> start(const FileWish& wish);
  // Closes it.
  ~DesktopDialog();
  DesktopDialog(const DesktopDialog&) = delete;
  DesktopDialog& operator=(const DesktopDialog&) = delete;

  const FileWish& wish() const { return wish_; }
  // Once it is closed, what was chosen; an empty path: nothing. Does not wait.
  std::optional<std::filesystem::path> answer();

 private:
  DesktopDialog(FileWish wish, int process, int output)
      : wish_(std::move(wish)), process_(process), output_(output) {}

  FileWish wish_;
  int process_;
  int output_;  // file descriptor
  std::string text_;
};

}  // namespace tessera::viewer
