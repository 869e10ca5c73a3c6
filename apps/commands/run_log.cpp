// SPDX-License-Identifier: MIT
#include "apps/commands/run_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace tessera::apps {
namespace {

File open_for_writing(const std::filesystem::path& path, bool append) {
  File file(std::fopen(path.c_str(), append ? "a" : "w"));
  if (file == nullptr) {
    throw core::IoError(path, fmt::format("it cannot be written: {}", std::strerror(errno)));
  }
  return file;
}

}  // namespace

RunLog::RunLog(bool quiet, bool silent) : quiet_(quiet || silent), silent_(silent) {}

void RunLog::open_text(const std::filesystem::path& path, bool append) {
  text_ = open_for_writing(path, append);
  text_path_ = path;
  for (const Message& message : early_) put_text(message);
}

void RunLog::open_json(const std::filesystem::path& path, bool append) {
  json_ = open_for_writing(path, append);
  json_path_ = path;
  for (const Message& message : early_) put_json(message);
}

void RunLog::put(std::FILE* file, const std::filesystem::path& path, const std::string& line) {
  // Flushed line by line: whoever follows the run sees it, and a killed run loses none.
  if (std::fwrite(line.data(), 1, line.size(), file) != line.size() || std::fflush(file) != 0) {
    throw core::IoError(path, fmt::format("it cannot be written: {}", std::strerror(errno)));
  }
}

void RunLog::write(core::LogLevel level, std::string_view message) {
  if (silent_) return;
  const bool warning = level == core::LogLevel::kWarning;
  const std::lock_guard lock(mutex_);
  if (bar_ != nullptr) bar_->clear();
  if (warning) {
    warnings_.emplace_back(message);
    fmt::print(stderr, "Warning: {}\n", message);
  } else if (!quiet_) {
    fmt::print("{}\n", message);
    std::fflush(stdout);
  }
  const Message said = {warning, timer_.seconds(), std::string(message)};
  if (text_) put_text(said);
  if (json_) put_json(said);
  if (!text_) early_.push_back(said);
}

void RunLog::put_text(const Message& message) {
  put(text_.get(), text_path_,
      fmt::format("{}{}\n", message.warning ? "Warning: " : "", message.text));
}

void RunLog::put_json(const Message& message) {
  const nlohmann::ordered_json line = {{"event", message.warning ? "warning" : "message"},
                                       {"time", message.time},
                                       {"text", message.text}};
  put(json_.get(), json_path_,
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void RunLog::event(std::string_view name,
                   std::initializer_list<std::pair<std::string_view, Value>> data) {
  if (!json_) return;
  nlohmann::ordered_json line;
  line["event"] = std::string(name);
  line["time"] = timer_.seconds();
  for (const auto& [key, value] : data) {
    std::visit([&line, key = key](const auto& v) { line[std::string(key)] = v; }, value);
  }
  const std::lock_guard lock(mutex_);
  put(json_.get(), json_path_,
      line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

std::unique_ptr<Progress> RunLog::progress(const std::string& unit, int64_t first, int64_t total) {
  return std::make_unique<Progress>(unit, first, total, progress_style(quiet_), stdout);
}

void RunLog::set_bar(Progress* bar) {
  const std::lock_guard lock(mutex_);
  bar_ = bar;
}

}  // namespace tessera::apps
