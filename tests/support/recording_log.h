// A log that keeps what it is told.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/log.h"

namespace tessera::tests {

class RecordingLog final : public core::Log {
 public:
  void write(core::LogLevel level, std::string_view message) override {
    (level == core::LogLevel::kInfo ? infos : warnings).emplace_back(message);
  }

  std::vector<std::string> infos;
  std::vector<std::string> warnings;
};

}  // namespace tessera::tests
