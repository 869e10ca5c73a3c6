// Work that is not saved, kept beside the settings while it is so; what a process that died left
// there is offered to the next one.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>

namespace tessera::viewer {

class Recovery {
 public:
  explicit Recovery(std::filesystem::path folder);
  // Leaves the file as it is.
  ~Recovery();
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // What another process left, or one of this number; the newest. Nothing once it was taken.
  const std::optional<std::filesystem::path>& left() const { return left_; }
  // Makes what was left this process's own.
  void take_over();
  void throw_away();

  // Has the text made and written by another thread, in place of the one before; false if that is
  // being written still.
  bool write(std::function<std::string()> text);
  // What went wrong with the newest one, a sentence, said once; empty: nothing.
  std::string trouble();
  // Nothing is to be kept.
  void clear();

 private:
  bool is_ready() const;  // whether one was written since the last question

  std::filesystem::path folder_, own_;
  std::optional<std::filesystem::path> left_;
  std::future<std::string> writing_;  // gives what went wrong
};

}  // namespace tessera::viewer
