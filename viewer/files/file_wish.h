// A file that is to be named by the user, for a command.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace tessera::viewer {

struct FileWish {
  std::string command;           // what is done with it: "open"
  std::string title;             // of the dialog
  bool saves = false;            // else it is there already
  std::filesystem::path folder;  // where to begin
};

}  // namespace tessera::viewer
