// The program as a user runs it, within the test's own process: what it prints and its exit code.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/command_table.h"

namespace tessera::test {

struct Outcome {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

inline Outcome run_tessera(const std::vector<std::string>& arguments) {
  Outcome outcome;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  outcome.exit_code = apps::run_program(apps::kTessera, arguments);
  outcome.output = ::testing::internal::GetCapturedStdout();
  outcome.errors = ::testing::internal::GetCapturedStderr();
  return outcome;
}

}  // namespace tessera::test
