// SPDX-License-Identifier: MIT
#include "viewer/session/recovery.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <utility>

#include "core/file_io.h"
#include "viewer/session/session.h"

namespace tessera::viewer {
namespace {

constexpr std::string_view kPrefix = "unsaved-";

// The number of the process that wrote a file; nothing for others.
std::optional<pid_t> writer_of(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  if (path.extension() != kSessionExtension || !stem.starts_with(kPrefix)) return std::nullopt;
  pid_t number = 0;
  const char* end = stem.data() + stem.size();
  const auto [stop, fault] = std::from_chars(stem.data() + kPrefix.size(), end, number);
  if (fault != std::errc() || stop != end || number <= 0) return std::nullopt;
  return number;
}

bool runs(pid_t process) {
  return process != getpid() && (kill(process, 0) == 0 || errno == EPERM);
}

}  // namespace

Recovery::Recovery(std::filesystem::path folder)
    : folder_(std::move(folder)),
      own_(folder_ / fmt::format("{}{}{}", kPrefix, getpid(), kSessionExtension)) {
  std::error_code fault;
  std::filesystem::file_time_type newest;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, fault)) {
    const std::optional<pid_t> writer = writer_of(entry.path());
    if (!writer || runs(*writer)) continue;
    const auto time = entry.last_write_time(fault);
    if (left_ && time <= newest) continue;
    left_ = entry.path();
    newest = time;
  }
}

Recovery::~Recovery() {
  if (writing_.valid()) writing_.wait();
}

void Recovery::take_over() {
  std::error_code fault;
  if (left_) std::filesystem::rename(*left_, own_, fault);
  left_.reset();
}

void Recovery::throw_away() {
  std::error_code fault;
  if (left_) std::filesystem::remove(*left_, fault);
  left_.reset();
}

bool Recovery::is_ready() const {
  return writing_.valid() &&
         writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

bool Recovery::write(std::function<std::string()> text) {
  if (writing_.valid() && !is_ready()) return false;
  writing_ = std::async(std::launch::async, [this, make = std::move(text)]() -> std::string {
    try {
      std::filesystem::create_directories(folder_);
      core::write_file_atomically(own_, make());
      return {};
    } catch (const std::exception& error) {
      return std::string("Edits are not kept for the case of a crash, so save them: ") +
             error.what();
    }
  });
  return true;
}

std::string Recovery::trouble() {
  if (!is_ready()) return {};
  return writing_.get();
}

void Recovery::clear() {
  if (writing_.valid()) writing_.wait();
  std::error_code fault;
  if (!left_ || *left_ != own_) std::filesystem::remove(own_, fault);
}

}  // namespace tessera::viewer
