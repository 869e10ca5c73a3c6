// What editing knows of each splat, as bits of a byte.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::viewer {

inline constexpr uint8_t kSelected = 1;
inline constexpr uint8_t kHidden = 2;
inline constexpr uint8_t kDeleted = 4;
// Not drawn and not selected by any tool.
inline constexpr uint8_t kAbsent = kHidden | kDeleted;

}  // namespace tessera::viewer
