// What a mistyped name was most likely meant to be: for options, commands, formats, choices.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::core {

// The candidate that needs the fewest letters changed, swapped, left out or added to become `word`,
// the first of them if several do. Nothing if more than a third of the letters would change.
std::optional<std::string> nearest_name(std::string_view word,
                                        const std::vector<std::string>& candidates);

}  // namespace tessera::core
