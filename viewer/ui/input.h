// What a window tells of the user's hands.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::viewer {

// Letters and digits are their upper-case ASCII; the other numbers are GLFW's.
enum class Key : int {
  kNone = 0,
  kSpace = 32,
  kSlash = 47,
  kA = 65,
  kC = 67,
  kD = 68,
  kE = 69,
  kQ = 81,
  kS = 83,
  kV = 86,
  kW = 87,
  kX = 88,
  kY = 89,
  kZ = 90,
  kEscape = 256,
  kEnter = 257,
  kTab = 258,
  kBackspace = 259,
  kInsert = 260,
  kDelete = 261,
  kRight = 262,
  kLeft = 263,
  kDown = 264,
  kUp = 265,
  kPageUp = 266,
  kPageDown = 267,
  kHome = 268,
  kEnd = 269,
  kF1 = 290,
  kF12 = 301,
  kEnterOnPad = 335,
};
inline constexpr int kKeyCount = 349;

struct Modifiers {
  bool shift = false;
  bool control = false;  // or the command key
  bool alt = false;

  friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

struct KeyChord {
  Key key = Key::kNone;
  Modifiers modifiers;

  friend bool operator==(const KeyChord&, const KeyChord&) = default;
};
// Of "Ctrl+Shift+Z", "Del", "F12", "?", "["; nothing if it is none.
std::optional<KeyChord> parse_chord(std::string_view text);

enum class MouseButton : int { kLeft = 0, kRight = 1, kMiddle = 2 };

struct InputEvent {
  enum class Kind { kMove, kButton, kWheel, kKey, kText, kDrop };

  Kind kind = Kind::kMove;
  double x = 0, y = 0;  // of the mouse in pixels of the window; of the wheel, steps
  MouseButton button = MouseButton::kLeft;
  Key key = Key::kNone;
  bool down = false;  // else released
  Modifiers modifiers;
  uint32_t character = 0;
  std::vector<std::filesystem::path> dropped;
};

}  // namespace tessera::viewer
