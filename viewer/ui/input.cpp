// SPDX-License-Identifier: MIT
#include "viewer/ui/input.h"

#include <utility>

namespace tessera::viewer {
namespace {

constexpr std::pair<std::string_view, Key> kNamedKeys[] = {
    {"Space", Key::kSpace}, {"Esc", Key::kEscape}, {"Enter", Key::kEnter},
    {"Tab", Key::kTab},     {"Del", Key::kDelete}, {"Backspace", Key::kBackspace},
    {"Home", Key::kHome},   {"End", Key::kEnd},    {"Left", Key::kLeft},
    {"Right", Key::kRight}, {"Up", Key::kUp},      {"Down", Key::kDown},
};

}  // namespace

std::optional<KeyChord> parse_chord(std::string_view text) {
  KeyChord chord;
  for (;;) {
    const auto strip = [&text](std::string_view prefix) {
      if (!text.starts_with(prefix) || text.size() == prefix.size()) return false;
      text.remove_prefix(prefix.size());
      return true;
    };
    if (strip("Ctrl+")) {
      chord.modifiers.control = true;
    } else if (strip("Shift+")) {
      chord.modifiers.shift = true;
    } else if (strip("Alt+")) {
      chord.modifiers.alt = true;
    } else {
      break;
    }
  }
  if (text == "?") {
    chord.key = Key::kSlash;
    chord.modifiers.shift = true;
    return chord;
  }
  for (const auto& [name, key] : kNamedKeys) {
    if (text == name) {
      chord.key = key;
      return chord;
    }
  }
  if (text.size() == 1 && text[0] > ' ' && !(text[0] >= 'a' && text[0] <= 'z')) {
    chord.key = static_cast<Key>(text[0]);
    return chord;
  }
  if (text.size() >= 2 && text[0] == 'F') {
    int number = 0;
    for (const char c : text.substr(1)) {
      if (c < '0' || c > '9') return std::nullopt;
      number = 10 * number + (c - '0');
    }
    if (number < 1 || number > 12) return std::nullopt;
    chord.key = static_cast<Key>(static_cast<int>(Key::kF1) + number - 1);
    return chord;
  }
  return std::nullopt;
}

}  // namespace tessera::viewer
