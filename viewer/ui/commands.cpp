// The table of commands and actions, one part a topic, and how a line is run.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/nearest_name.h"
#include "viewer/viewer.h"

namespace tessera::viewer {

std::span<const CommandEntry> file_commands();
std::span<const CommandEntry> view_commands();
std::span<const CommandEntry> edit_commands();
std::span<const CommandEntry> training_commands();
std::span<const CommandEntry> measure_commands();
std::span<const CommandEntry> path_commands();
std::span<const CommandEntry> photo_commands();
std::span<const ActionEntry> file_actions();
std::span<const ActionEntry> view_actions();
std::span<const ActionEntry> edit_actions();
std::span<const ActionEntry> measure_actions();
std::span<const ActionEntry> path_actions();
std::span<const ActionEntry> photo_actions();

namespace {

template <class Entry>
std::vector<Entry> joined(std::initializer_list<std::span<const Entry>> parts) {
  std::vector<Entry> all;
  for (const std::span<const Entry> part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Menus from left to right; a new one stands before Help.
constexpr std::string_view kMenus[] = {"File",   "Edit",   "Select", "View",
                                       "Camera", "Photos", "Path",   "Measure"};
size_t menu_place(std::string_view menu) {
  const auto found = std::find(std::begin(kMenus), std::end(kMenus), menu);
  return static_cast<size_t>(found - std::begin(kMenus)) + (menu == "Help" ? 1 : 0);
}

}  // namespace

std::span<const CommandEntry> commands() {
  static const std::vector<CommandEntry> all =
      joined<CommandEntry>({file_commands(), view_commands(), edit_commands(), training_commands(),
                            measure_commands(), path_commands(), photo_commands()});
  return all;
}

std::span<const ActionEntry> actions() {
  static const std::vector<ActionEntry> all = [] {
    std::vector<ActionEntry> in_order =
        joined<ActionEntry>({file_actions(), view_actions(), edit_actions(), measure_actions(),
                             path_actions(), photo_actions()});
    std::stable_sort(in_order.begin(), in_order.end(),
                     [](const ActionEntry& a, const ActionEntry& b) {
                       return menu_place(a.menu) < menu_place(b.menu);
                     });
    return in_order;
  }();
  return all;
}

void Viewer::run(std::string_view line) {
  const Words words = split_line(line);
  if (words.empty()) return;
  std::vector<std::string> names;
  for (const CommandEntry& command : commands()) {
    if (command.name == words[0]) {
      command.run(*this, words);
      return;
    }
    names.emplace_back(command.name);
  }
  const std::optional<std::string> nearest = core::nearest_name(words[0], names);
  throw core::UsageError(
      words[0], "there is no such command" + (nearest ? "; did you mean " + *nearest + "?" : ""));
}

}  // namespace tessera::viewer
