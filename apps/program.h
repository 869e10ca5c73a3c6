// The program around the commands: picks one by its name and turns exceptions into exit codes.
//
// 0 done; 2 the input's, the options' or the environment's fault; 130 stopped by the user after
// saving; 1 our own fault. Each failure is one sentence on stderr. No other place does this.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/command.h"

namespace tessera::apps {

inline constexpr int kExitDone = 0;
inline constexpr int kExitOurFault = 1;
inline constexpr int kExitInputFault = 2;
inline constexpr int kExitInterrupted = 130;

struct Program {
  std::string_view name;          // as typed
  std::string_view introduction;  // of its help, a sentence or two
  std::string_view example;
  std::span<const Command> commands;
};

// `arguments` without the program's own name.
int run_program(const Program& program, const std::vector<std::string>& arguments);

// Tells the user of the exception that is being handled, as said by the program of that name, and
// returns the exit code that it means.
int report_current_exception(std::string_view program);

// "0.1.0"
std::string version();
// version() and what the program was built with, one item a line.
std::string version_text();

}  // namespace tessera::apps
