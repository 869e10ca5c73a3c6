// SPDX-License-Identifier: MIT
#include "viewer/ui/command_words.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/error.h"
#include "viewer/viewer.h"

namespace tessera::viewer {

double number(const Words& words, size_t at) {
  if (at >= words.size()) throw core::UsageError(words[0], "a number is missing");
  const std::string& word = words[at];
  double value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
    throw core::UsageError(words[0], "takes a number, not " + word);
  }
  return value;
}

math::Vec3<double> vector(const Words& words, size_t at) {
  return {number(words, at), number(words, at + 1), number(words, at + 2)};
}

const std::string& word(const Words& words, size_t at, const char* what) {
  if (at >= words.size()) throw core::UsageError(words[0], fmt::format("{} is missing", what));
  return words[at];
}

SceneItem& current(Viewer& viewer) {
  SceneItem* item = viewer.current_item();
  if (item == nullptr) throw core::Error("nothing is open; Ctrl+O opens a file");
  return *item;
}

bool on_or_off(const Words& words, bool now) {
  if (words.size() < 2) return !now;
  if (words[1] == "on") return true;
  if (words[1] == "off") return false;
  throw core::UsageError(words[0], "takes on or off, not " + words[1]);
}

SceneItem& current_splats(Viewer& viewer) {
  SceneItem& item = current(viewer);
  if (!std::holds_alternative<SplatContent>(item.content)) {
    throw core::Error(item.name + " holds no splats");
  }
  return item;
}

}  // namespace tessera::viewer
