// The table of communicator backends.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace tessera::distributed {

struct BackendEntry {
  std::string_view name;
  std::string_view carries;  // what for, in words
  bool built;                // whether this build has it
  std::string_view needs;    // what brings it into a build that has it not
};

std::span<const BackendEntry> backends();

}  // namespace tessera::distributed
