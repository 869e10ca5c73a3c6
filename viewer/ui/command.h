// Commands by name: menus, keys, the test driver and scripts all run these.
//
// A line is a command's name and its words, "camera 1 2 3 0 0 0"; words with blanks are in double
// quotes, with \" and \\ inside.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::viewer {

class Viewer;

using Words = std::vector<std::string>;

struct CommandEntry {
  std::string_view name;
  std::string_view takes;  // "FILE..."; empty: nothing
  std::string_view summary;
  // Throws core::Error, whose sentence is shown.
  void (*run)(Viewer& viewer, const Words& words);
};
std::span<const CommandEntry> commands();

// What a menu offers and a key does.
struct ActionEntry {
  std::string_view menu;
  std::string_view title;
  std::string_view line;  // of a command
  std::string_view key;   // empty: none
  // Whether it is on, for what is switched; null otherwise.
  bool (*checked)(const Viewer& viewer) = nullptr;
};
std::span<const ActionEntry> actions();

// Throws core::UsageError.
Words split_line(std::string_view line);
// The word as split_line() reads it back.
std::string quoted_word(std::string_view word);

}  // namespace tessera::viewer
