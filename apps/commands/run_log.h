// What a run says: to the terminal without breaking the progress bar, to log.txt beside the result,
// and as one JSON object a line for programs (--json-log).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "apps/commands/progress.h"
#include "core/log.h"

namespace tessera::apps {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

class RunLog : public core::Log {
 public:
  // Information goes to standard output unless `quiet`, warnings to standard error; nothing at all
  // if `silent`, as on all ranks but the one that speaks for them.
  explicit RunLog(bool quiet, bool silent = false);

  // Everything goes into this file too, what was said before included; `append` keeps what a
  // resumed run had said. Throws core::IoError if it cannot be written.
  void open_text(const std::filesystem::path& path, bool append);
  void open_json(const std::filesystem::path& path, bool append);

  void write(core::LogLevel level, std::string_view message) override;

  using Value = std::variant<bool, int64_t, double, std::string>;
  // One line of the JSON log: {"event": ..., "time": seconds since the start, ...}. Numbers that
  // are not finite become null.
  void event(std::string_view name, std::initializer_list<std::pair<std::string_view, Value>> data);

  // The bar is shown from now on (on a terminal) or its lines are (on a pipe); ends with the
  // returned object.
  std::unique_ptr<Progress> progress(const std::string& unit, int64_t first, int64_t total);
  // The bar that messages have to make way for; null when it ended.
  void set_bar(Progress* bar);

  bool quiet() const { return quiet_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Message {
    bool warning;
    double time;
    std::string text;
  };
  void put_text(const Message& message);
  void put_json(const Message& message);
  void put(std::FILE* file, const std::filesystem::path& path, const std::string& line);

  bool quiet_;
  const bool silent_;
  core::Timer timer_;
  std::mutex mutex_;  // photos are decoded, and complained about, by other threads
  Progress* bar_ = nullptr;
  std::filesystem::path text_path_, json_path_;
  File text_, json_;
  std::vector<Message> early_;  // said before the files were opened
  std::vector<std::string> warnings_;
};

}  // namespace tessera::apps
