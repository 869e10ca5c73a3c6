// Where messages go: a sink that the mains make and pass down. The library never prints by itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace tessera::core {

enum class LogLevel { kInfo, kWarning };

class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view message) = 0;

  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) {
    write(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> format, Args&&... args) {
    write(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
  }
};

}  // namespace tessera::core
