// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

namespace tessera::core {

// ASCII letters only: what file extensions and keys are made of.
inline std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

}  // namespace tessera::core
