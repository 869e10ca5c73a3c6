// `tessera view`: starts `tessera-viewer`, which stands beside this program, so that a program
// without windows loads no library of windows.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "apps/command_table.h"
#include "apps/commands/window_options.h"
#include "core/error.h"

namespace tessera::apps {

int run_view(const std::vector<std::string>& arguments) {
  WindowOptions options;
  core::OptionTable table("tessera view", "Shows scenes, captures and multiplane images.",
                          "tessera view scene.ply");
  bind_window_options(table, options, FilesNeeded::kOne);
  if (const auto help = table.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }
  check(options);
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tessera-viewer";
  if (!std::filesystem::exists(program)) {
    throw core::UsageError(
        "view", fmt::format("needs {}, which was not built: tools/setup.sh brings the libraries of "
                            "windows, then configure and build again",
                            program.string()));
  }
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw core::IoError(program, fmt::format("cannot be started ({})", std::strerror(errno)));
}

}  // namespace tessera::apps
