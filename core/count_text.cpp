// SPDX-License-Identifier: MIT
#include "core/count_text.h"

#include <fmt/format.h>

namespace tessera::core {

std::string count_text(int64_t count) {
  std::string digits = fmt::format("{}", count < 0 ? -count : count);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, 1, ',');
  if (count < 0) digits.insert(0, 1, '-');
  return digits;
}

std::string plural(int64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count_text(count), thing, count == 1 ? "" : "s");
}

}  // namespace tessera::core
