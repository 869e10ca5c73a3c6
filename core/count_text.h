// Counts as sentences have them: "12,000", "1 photo", "12,000 photos".
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace tessera::core {

std::string count_text(int64_t count);
std::string plural(int64_t count, const std::string& thing);

}  // namespace tessera::core
