// A command as a shell reads it back: what users are to copy, and the record of what they typed.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tessera::apps {

// `program` as it stands, then each argument, quoted where it has to be.
std::string shell_line(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace tessera::apps
