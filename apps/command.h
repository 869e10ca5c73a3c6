// A command of a program: what its name runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::apps {

struct Command {
  std::string_view name;
  std::string_view summary;  // for the program's --help, below 60 letters
  // Takes the arguments after the command's name, prints results to stdout and gives the exit
  // code. Errors are thrown; run_program() turns them into a sentence and a code.
  int (*run)(const std::vector<std::string>& arguments);
};

}  // namespace tessera::apps
