// The libraries that are built in, for `tessera --version` and the record of a run.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tessera::assets {

// Name and version, sorted by name.
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace tessera::assets
