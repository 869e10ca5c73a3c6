// The program around the commands: picks one by its name and turns exceptions into exit codes.
//
// 0 done; 2 the input's, the options' or the environment's fault; 130 stopped by the user after
// saving; 1 our own fault. Each failure is one sentence on stderr. No other place does this.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tessera::apps {

inline constexpr int kExitDone = 0;
inline constexpr int kExitOurFault = 1;
inline constexpr int kExitInputFault = 2;
inline constexpr int kExitInterrupted = 130;

// `arguments` without the program's own name.
int run_program(const std::vector<std::string>& arguments);

// Tells the user of the exception that is being handled, and returns the exit code that it means.
int report_current_exception();

// "0.1.0"
std::string version();
// version() and what the program was built with, one item a line.
std::string version_text();

}  // namespace tessera::apps
